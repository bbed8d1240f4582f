# make test is everything that has to hold; .ci/run runs the same on a new machine.

FUZZTIME ?= 10s
BENCH ?= .

# The race detector needs a C compiler; without one, Go turns cgo off.
RACE := $(if $(filter 1,$(shell go env CGO_ENABLED)),-race)

# In CI the pictures that the browser tests take are kept, to be looked at.
ifeq ($(CI),true)
export STEADY_SHOTS := $(CURDIR)/artifacts
endif

.PHONY: test compile format lint browser bench fuzz build docker
.NOTPARALLEL:

test: compile format lint browser
	@test -n "$(RACE)" || { echo "SKIPPED: race detector (no C compiler)"; test "$(CI)" != true; }
	@$(if $(STEADY_SHOTS),mkdir -p '$(STEADY_SHOTS)')
	go test $(RACE) -timeout 8m ./...

compile:
	go build -buildvcs=false ./...

format:
	@files="$$(gofmt -l .)"; test -z "$$files" || { echo "not formatted, run gofmt -w:" $$files; exit 1; }

lint:
	go vet ./...
	go tool staticcheck ./...

browser:
	@scripts/chromium

# Numbers for docs/performance.md. BENCH=History picks some.
bench:
	go test -run '^$$' -bench '$(BENCH)' -benchmem -timeout 30m ./...

# Each fuzz target for FUZZTIME, one after the other; the first that fails ends it.
fuzz:
	@grep -r --include='*_test.go' '^func Fuzz' . | sed 's|/[^/]*:func \(Fuzz[A-Za-z0-9_]*\).*| \1|' | sort | \
	while read -r dir target; do \
		go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 5s "$$dir" </dev/null || exit 1; \
	done

# One static file that needs nothing beside it.
build:
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o bot ./cmd/bot

docker:
	docker build -t steady .
