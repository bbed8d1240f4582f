package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func noEnv(string) (string, bool) { return "", false }

// The example holds every key with its default, and nothing else.
func TestExampleIsTheDefaults(t *testing.T) {
	source, err := os.ReadFile("../../config.example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c := Config{}
	d := decoder{file: "config.example.yaml", getenv: noEnv}
	set := d.decode(source, c.settings())
	if len(d.problems) > 0 {
		t.Fatal(strings.Join(d.problems, "\n"))
	}
	for _, s := range c.settings() {
		if !set[s.path] {
			t.Errorf("%s is not in the example", s.path)
		}
	}
	if got, want := fmt.Sprintf("%#v", c), fmt.Sprintf("%#v", defaults()); strings.ReplaceAll(got, "[]string{}", "[]string(nil)") != want {
		t.Errorf("the example says\n%s\nthe defaults are\n%s", got, want)
	}
	for i, line := range strings.Split(string(source), "\n") {
		if strings.Contains(line, ": ") && !strings.Contains(line, "#") {
			t.Errorf("line %d has no comment: %s", i+1, line)
		}
	}
}

// Everything that is wrong is said at once, with file, line and key.
func TestProblems(t *testing.T) {
	for _, c := range []struct {
		yaml string
		want []string
	}{
		{"", nil},
		{"# nothing\n", nil},
		{"languge: en\n", []string{":1: languge: unknown key"}},
		{"agent:\n  workers: many\n  turbo: 1\nlanguage: fr\n", []string{
			":2: agent.workers: must be a whole number of at least 1", ":3: agent.turbo: unknown key", ":4: language: must be one of auto, en, ko, zh"}},
		{"agent: 5\n", []string{":1: agent: must be a group of keys"}},
		{"agent:\n  workers: \"7\"\n", []string{":2: agent.workers: must be a whole number"}}, // a text is no number
		{"shutdown_grace: 20\n", []string{":1: shutdown_grace: must be a duration"}},
		{"timezone: GMT+9\n", []string{":1: timezone: must be an IANA time zone"}},
		{"model:\n  base_url: localhost:1\n", []string{":2: model.base_url: must be an http or https address"}},
		{"model:\n  api_key: ${NOT_SET}\n", []string{":2: model.api_key: environment variable NOT_SET is not set"}},
		{"model:\n  api_key: file:/does/not/exist\n", []string{":2: model.api_key: open /does/not/exist"}},
		{"data_dir: [a]\n", []string{":1: data_dir: must be a text"}},
		{"data_dir:\n", []string{":1: data_dir: has no value"}},
		{"data_dir: a\ndata_dir: b\n", []string{"data_dir"}},
		{"data_dir: 'a\n", []string{":1"}},
		{"channels:\n  web:\n    listen: 0.0.0.0:80\n", []string{"channels.web.token: is required"}},
		{"channels:\n  web:\n    listen: \"\"\n", []string{"channels: none is switched on"}},
		{"channels:\n  lark:\n    app_id: cli_1\n", []string{"channels.lark.app_id: this version has no Lark channel"}},
		{"channels:\n  telegram:\n    token: 1:a\n    mode: webhook\n", []string{"channels.telegram.mode: this version polls"}},
		{"store: postgres://x\n", []string{"store: this version keeps"}},
		{"model:\n  provider: openai\n", []string{"model.api_key: is needed"}},
		{"channels:\n  telegram:\n    allow: [1, 22, \"*\"]\n", nil},
		{"a: &x 1\nb: *x\n", []string{"a: unknown key"}},
	} {
		path := filepath.Join(t.TempDir(), "c.yaml")
		if err := os.WriteFile(path, []byte(c.yaml), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := loadConfig(path, noEnv)
		if len(c.want) == 0 {
			if err != nil {
				t.Errorf("%q: %v", c.yaml, err)
			}
			continue
		}
		if err == nil {
			t.Errorf("%q is accepted", c.yaml)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%q: no %q in\n%v", c.yaml, w, err)
			}
		}
	}
}

// The environment stands in for the file; a key that is in the file wins.
func TestEnvironment(t *testing.T) {
	env := map[string]string{"OPENAI_API_KEY": "sk-1", "OPENAI_MODEL": "m1", "STEADY_DATA_DIR": "/d", "STEADY_WEB_LISTEN": "127.0.0.1:1",
		"TELEGRAM_BOT_TOKEN": "1:t", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1/", "KEY": "sk-2"}
	getenv := func(k string) (string, bool) { v, ok := env[k]; return v, ok }
	t.Chdir(t.TempDir())
	c, err := loadConfig("", getenv)
	if err != nil {
		t.Fatal(err)
	}
	if c.Model.APIKey != "sk-1" || c.Model.Name != "m1" || c.DataDir != "/d" || c.Web.Listen != "127.0.0.1:1" || c.Telegram.Token != "1:t" || c.Model.BaseURL != "http://127.0.0.1:9/v1" {
		t.Errorf("%+v", c)
	}
	if err := os.WriteFile("key", []byte("sk-3\nmore\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("config.yaml", []byte("model:\n  name: m2\n  api_key: x${KEY}y\nchannels:\n  web:\n    token: file:key\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if c, err = loadConfig("", getenv); err != nil {
		t.Fatal(err)
	}
	if c.Model.Name != "m2" || c.Model.APIKey != "xsk-2y" || c.Web.Token != "sk-3" || c.DataDir != "/d" {
		t.Errorf("%s %#v %s", c.Model.Name, string(c.Model.APIKey), c.DataDir)
	}
}

func TestSecretsAreNotPrinted(t *testing.T) {
	c := defaults()
	c.Model.APIKey, c.Telegram.Token, c.Web.Token = "sk-secret", "1:secret", "secret"
	j, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	all := fmt.Sprintf("%v %+v %#v %s", c, c, c, j)
	if strings.Contains(all, "secret\"") && strings.Contains(all, "sk-secret") || strings.Contains(all, "1:secret") || strings.Contains(all, "sk-secret") {
		t.Error(all)
	}
}

func TestCommandLine(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		args []string
		code int
		out  string
		err  string
	}{
		{[]string{"version"}, exitOK, "steady ", ""},
		{[]string{"dance"}, exitUsage, "", "usage:"},
		{[]string{"-nope"}, exitUsage, "", "usage:"},
		{[]string{"check", "extra"}, exitUsage, "", "usage:"},
		{[]string{"-config", "missing.yaml"}, exitFailed, "", "missing.yaml"},
		{[]string{"check", "-local"}, exitOK, "✓ data: none yet", ""},
		{[]string{"check"}, exitOK, "✓ model: the offline coach", ""},
		{[]string{"-h"}, exitOK, "", "usage:"},
	} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), c.args, &out, &errs); code != c.code || !strings.Contains(out.String(), c.out) || !strings.Contains(errs.String(), c.err) {
			t.Errorf("%v: exit %d\n%s%s", c.args, code, out.String(), errs.String())
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{"a: b", "agent:\n  workers: 3", "channels: {web: {listen: ''}}", "- x", "&a [*a]", "a: |\n  b", "\x00", "data_dir: ${X}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		c := defaults()
		d := decoder{file: "f", getenv: noEnv}
		d.decode(source, c.settings()) // must not panic, whatever is in the file
	})
}
