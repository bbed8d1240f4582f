package main

import (
	"encoding/json"
	"errors"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A listed package is what the go command says of one. Imports are those of the program, Tests those that its tests add.
type listed struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

// listPackages asks for every package of the module, by its path without the module's name; what is not of the module keeps its
// whole path.
func listPackages(t *testing.T) map[string]listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	cmd.Dir = "../.."
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]listed{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimPrefix(p.ImportPath, "steady/")] = p
	}
}

// ours returns the packages of the module among some imports, without the module's name.
func ours(imports []string) []string {
	var out []string
	for _, i := range imports {
		if name, ok := strings.CutPrefix(i, "steady/"); ok {
			out = append(out, name)
		}
	}
	return out
}

func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".") && first != "steady"
}

// mayImport is the import law (architecture, "Rooms"), for the program and not its tests: who may import what of ours. The first
// pattern that fits a package counts.
func mayImport() []struct{ who, what *regexp.Regexp } {
	var out []struct{ who, what *regexp.Regexp }
	for _, r := range [][2]string{
		{`core`, `none`},
		{`core/.*`, `core`},
		{`channels`, `core`},
		{`channels/[^/]*test`, `core|channels|store|store/.*`}, // a suite may bring the real store
		{`channels/.*`, `core|channels`},
		{`store`, `core`},
		{`store/.*`, `core`},
		{`tools`, `core|tools/.*`},
		{`tools/.*`, `core`},
		{`internal/.*`, `none`}, // servers for tests know nothing of us
		{`cmd/bot`, `(core|channels|store|tools)(/.*)?`},
	} {
		out = append(out, struct{ who, what *regexp.Regexp }{regexp.MustCompile(`^(` + r[0] + `)$`), regexp.MustCompile(`^(` + r[1] + `)$`)})
	}
	return out
}

func TestImportLaw(t *testing.T) {
	t.Parallel()
	law := mayImport()
	for name, p := range listPackages(t) {
		i := slices.IndexFunc(law, func(r struct{ who, what *regexp.Regexp }) bool { return r.who.MatchString(name) })
		if i < 0 {
			t.Errorf("%s is in no room: give it one", name)
			continue
		}
		for _, to := range ours(p.Imports) {
			if !law[i].what.MatchString(to) || strings.HasSuffix(to, "test") && !strings.HasSuffix(name, "test") {
				t.Errorf("%s must not import %s", name, to)
			}
		}
		for _, to := range p.Imports {
			if name == "core" && !standard(to) {
				t.Errorf("core must not import %s: it has the standard library", to)
			}
		}
	}
}

// Some knowledge is in one place alone: an engine, an SDK, a format.
func TestEachLibraryHasOneImporter(t *testing.T) {
	t.Parallel()
	alone := map[string]string{
		"github.com/sashabaranov/go-openai":     "core/openai",
		"go.etcd.io/bbolt":                      "store",
		"github.com/go-telegram/bot":            "channels/telegram",
		"github.com/larksuite/oapi-sdk-go":      "channels/lark",
		"github.com/yuin/goldmark":              "channels",
		"github.com/rivo/uniseg":                "channels",
		"github.com/coder/websocket":            "channels/web",
		"github.com/goccy/go-yaml":              "cmd/bot",
		"github.com/santhosh-tekuri/jsonschema": "tools",
	}
	for name, p := range listPackages(t) {
		for _, to := range p.Imports {
			for library, home := range alone {
				if (to == library || strings.HasPrefix(to, library+"/")) && name != home {
					t.Errorf("%s must not import %s: only %s does", name, to, home)
				}
			}
		}
	}
}

// No platform, engine or format has a name in core: not in an identifier, not in a text. Comments may tell of them.
func TestCoreNamesNoPlatform(t *testing.T) {
	t.Parallel()
	names := regexp.MustCompile(`(?i)telegram|feishu|\blark|bbolt|yaml|postgres|openai`)
	files, err := filepath.Glob("../../core/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		set := token.NewFileSet()
		var s scanner.Scanner
		s.Init(set.AddFile(file, -1, len(source)), source, nil, 0) // without comments
		for {
			pos, tok, lit := s.Scan()
			if tok == token.EOF {
				break
			}
			if (tok == token.IDENT || tok == token.STRING) && names.MatchString(lit) {
				t.Errorf("%s: %s", set.Position(pos), lit)
			}
		}
	}
}

// What the program and its tests are made of beside the standard library. A module that is not here needs a reason first.
func TestDirectDependenciesAreListed(t *testing.T) {
	t.Parallel()
	reasons := map[string]string{
		"github.com/go-telegram/bot":               "sends over the Bot API",
		"github.com/sashabaranov/go-openai":        "the types of OpenAI-compatible servers",
		"go.etcd.io/bbolt":                         "the data file",
		"github.com/coder/websocket":               "the page's socket",
		"github.com/goccy/go-yaml":                 "reads the configuration, with lines and columns",
		"github.com/santhosh-tekuri/jsonschema/v6": "checks what models call tools with",
		"github.com/yuin/goldmark":                 "the tree of Markdown",
		"github.com/rivo/uniseg":                   "where text may be cut",
		"golang.org/x/sync":                        "groups of goroutines",
		"golang.org/x/text":                        "Unicode normal forms",
		"golang.org/x/time":                        "the pace of a platform",
		"github.com/chromedp/chromedp":             "tests: a browser",
		"github.com/chromedp/cdproto":              "tests: its protocol",
		"pgregory.net/rapid":                       "tests: properties",
		"golang.org/x/tools":                       "tests: conversations as txtar",
		"honnef.co/go/tools":                       "the linter, as a tool",
	}
	cmd := exec.Command("go", "mod", "edit", "-json")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var mod struct{ Require, Tool []struct{ Path string } }
	if err := json.Unmarshal(out, &mod); err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, p := range listPackages(t) {
		for _, i := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			for _, r := range mod.Require {
				if i == r.Path || strings.HasPrefix(i, r.Path+"/") {
					used[r.Path] = true
				}
			}
		}
	}
	for _, tool := range mod.Tool {
		for _, r := range mod.Require {
			if strings.HasPrefix(tool.Path, r.Path+"/") {
				used[r.Path] = true
			}
		}
	}
	for path := range used {
		if reasons[path] == "" {
			t.Errorf("%s is a direct dependency without a reason", path)
		}
	}
	for path := range reasons {
		if !used[path] {
			t.Errorf("%s is listed and not used", path)
		}
	}
	t.Logf("%d direct dependencies: %s", len(used), strings.Join(slices.Sorted(maps.Keys(used)), " "))
}

// A package's first file tells what it is for.
func TestEveryPackageHasADoc(t *testing.T) {
	t.Parallel()
	for name := range listPackages(t) {
		files, err := filepath.Glob("../../" + name + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		docs := 0
		for _, file := range files {
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			if f.Doc != nil && !strings.HasSuffix(file, "_test.go") {
				docs++
			}
		}
		if docs != 1 {
			t.Errorf("%s has %d package comments", name, docs)
		}
	}
}
