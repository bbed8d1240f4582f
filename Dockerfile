FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o /out/bot ./cmd/bot
RUN mkdir /out/data

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /out/bot /
COPY --from=build --chown=65532:65532 /out/data /data
USER 65532:65532
WORKDIR /
# Outside its container everybody may reach the page, so STEADY_WEB_TOKEN is required. Mount a file as /config.yaml to configure more.
ENV STEADY_DATA_DIR=/data STEADY_WEB_LISTEN=0.0.0.0:8080
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=15s --start-period=20s CMD ["/bot", "check", "-local"]
ENTRYPOINT ["/bot"]
