package main

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"steady/core"
)

// A secret is a string that no log, error or %v shows.
type secret string

func (s secret) String() string {
	if s == "" {
		return ""
	}
	return "***"
}

// GoString implements fmt.GoStringer.
func (s secret) GoString() string { return s.String() }

// MarshalText implements encoding.TextMarshaler.
func (s secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Config is the whole configuration; docs/configuration.md says what the keys mean. settings lists them.
type Config struct {
	DataDir       string
	Store         string
	Timezone      string
	Language      string
	ShutdownGrace time.Duration
	LogLevel      string
	LogFormat     string
	Model         modelConfig
	Agent         agentConfig
	Web           webConfig
	Telegram      telegramConfig
	Lark          larkConfig
	AdminListen   string
}

type modelConfig struct {
	Provider          string
	BaseURL           string
	APIKey            secret
	Name              string
	ContextTokens     int
	MaxOutputTokens   int
	Temperature       float64
	ConnectTimeout    time.Duration
	FirstTokenTimeout time.Duration
	IdleTimeout       time.Duration
	Retries           int
}

type agentConfig struct {
	MaxToolRounds    int
	ToolTimeout      time.Duration
	ToolResultLimit  int
	TurnTimeout      time.Duration
	QueueLimit       int
	Workers          int
	SoftHistoryTurns int
	ConfirmExpiry    time.Duration
	Approvers        []string
	InputLimit       int
	PersonaFile      string
}

type webConfig struct {
	Listen string
	Token  secret
}

type telegramConfig struct {
	Token          secret
	APIURL         string
	Mode           string
	Webhook        webhookConfig
	PollTimeout    time.Duration
	StreamInterval time.Duration
	Allow          []string
	Groups         groupsConfig
}

type webhookConfig struct {
	Listen            string
	PublicURL         string
	Secret            secret
	Path              string
	EncryptKey        secret
	VerificationToken secret
}

type groupsConfig struct {
	Allow          []string
	RequireMention bool
}

type larkConfig struct {
	AppID     string
	AppSecret secret
	BaseURL   string
	Mode      string
	Webhook   webhookConfig
	Allow     []string
	Groups    groupsConfig
}

// defaults is the configuration of a fresh machine.
func defaults() Config {
	return Config{
		DataDir: "./data", Store: "bolt", Timezone: "UTC", Language: "auto", ShutdownGrace: 20 * time.Second, LogLevel: "info", LogFormat: "text",
		Model: modelConfig{Provider: "auto", BaseURL: "https://api.openai.com/v1", Name: "gpt-4.1-mini", ContextTokens: 128_000, MaxOutputTokens: 2048,
			Temperature: 0.3, ConnectTimeout: 10 * time.Second, FirstTokenTimeout: time.Minute, IdleTimeout: time.Minute, Retries: 2},
		Agent: agentConfig{MaxToolRounds: 4, ToolTimeout: 30 * time.Second, ToolResultLimit: 2048, TurnTimeout: 5 * time.Minute, QueueLimit: 32,
			Workers: 1024, SoftHistoryTurns: 8, ConfirmExpiry: 10 * time.Minute, InputLimit: 16_000},
		Web: webConfig{Listen: "127.0.0.1:8080"},
		Telegram: telegramConfig{APIURL: "https://api.telegram.org", Mode: "polling", Webhook: webhookConfig{Listen: "127.0.0.1:8443"},
			PollTimeout: 50 * time.Second, StreamInterval: time.Second, Groups: groupsConfig{RequireMention: true}},
		Lark: larkConfig{BaseURL: "https://open.feishu.cn", Mode: "websocket", Webhook: webhookConfig{Listen: "127.0.0.1:8444", Path: "/lark"},
			Groups: groupsConfig{RequireMention: true}},
	}
}

// settings lists every key with what sets it, in the order of the example.
func (c *Config) settings() []setting {
	m, a, w, t, l := &c.Model, &c.Agent, &c.Web, &c.Telegram, &c.Lark
	return []setting{
		{"data_dir", text(&c.DataDir)},
		{"store", text(&c.Store)},
		{"timezone", zone(&c.Timezone)},
		{"language", oneOf(&c.Language, "auto", "en", "ko", "zh")},
		{"shutdown_grace", duration(&c.ShutdownGrace)},
		{"log.level", oneOf(&c.LogLevel, "debug", "info", "warn", "error")},
		{"log.format", oneOf(&c.LogFormat, "text", "json")},
		{"model.provider", oneOf(&m.Provider, "auto", "openai", "offline")},
		{"model.base_url", address(&m.BaseURL)},
		{"model.api_key", text(&m.APIKey)},
		{"model.name", text(&m.Name)},
		{"model.context_tokens", number(&m.ContextTokens, 1000)},
		{"model.max_output_tokens", number(&m.MaxOutputTokens, 1)},
		{"model.temperature", decimal(&m.Temperature)},
		{"model.connect_timeout", duration(&m.ConnectTimeout)},
		{"model.first_token_timeout", duration(&m.FirstTokenTimeout)},
		{"model.idle_timeout", duration(&m.IdleTimeout)},
		{"model.retries", number(&m.Retries, 0)},
		{"agent.max_tool_rounds", number(&a.MaxToolRounds, 1)},
		{"agent.tool_timeout", duration(&a.ToolTimeout)},
		{"agent.tool_result_limit", number(&a.ToolResultLimit, 256)},
		{"agent.turn_timeout", duration(&a.TurnTimeout)},
		{"agent.queue_limit", number(&a.QueueLimit, 1)},
		{"agent.workers", number(&a.Workers, 1)},
		{"agent.soft_history_turns", number(&a.SoftHistoryTurns, 1)},
		{"agent.confirm_expiry", duration(&a.ConfirmExpiry)},
		{"agent.approvers", list(&a.Approvers)},
		{"agent.input_limit", number(&a.InputLimit, 1)},
		{"agent.persona_file", text(&a.PersonaFile)},
		{"channels.web.listen", listen(&w.Listen)},
		{"channels.web.token", text(&w.Token)},
		{"channels.telegram.token", text(&t.Token)},
		{"channels.telegram.api_url", address(&t.APIURL)},
		{"channels.telegram.mode", oneOf(&t.Mode, "polling", "webhook")},
		{"channels.telegram.webhook.listen", listen(&t.Webhook.Listen)},
		{"channels.telegram.webhook.public_url", text(&t.Webhook.PublicURL)},
		{"channels.telegram.webhook.secret", text(&t.Webhook.Secret)},
		{"channels.telegram.poll_timeout", duration(&t.PollTimeout)},
		{"channels.telegram.stream_interval", duration(&t.StreamInterval)},
		{"channels.telegram.allow", list(&t.Allow)},
		{"channels.telegram.groups.allow", list(&t.Groups.Allow)},
		{"channels.telegram.groups.require_mention", truth(&t.Groups.RequireMention)},
		{"channels.lark.app_id", text(&l.AppID)},
		{"channels.lark.app_secret", text(&l.AppSecret)},
		{"channels.lark.base_url", address(&l.BaseURL)},
		{"channels.lark.mode", oneOf(&l.Mode, "websocket", "webhook")},
		{"channels.lark.webhook.listen", listen(&l.Webhook.Listen)},
		{"channels.lark.webhook.path", text(&l.Webhook.Path)},
		{"channels.lark.webhook.encrypt_key", text(&l.Webhook.EncryptKey)},
		{"channels.lark.webhook.verification_token", text(&l.Webhook.VerificationToken)},
		{"channels.lark.allow", list(&l.Allow)},
		{"channels.lark.groups.allow", list(&l.Groups.Allow)},
		{"channels.lark.groups.require_mention", truth(&l.Groups.RequireMention)},
		{"admin.listen", listen(&c.AdminListen)},
	}
}

// environment lists the keys that a variable sets when the file does not.
func environment() map[string]string {
	return map[string]string{
		"channels.telegram.token": "TELEGRAM_BOT_TOKEN",
		"channels.lark.app_id":    "LARK_APP_ID", "channels.lark.app_secret": "LARK_APP_SECRET",
		"model.api_key": "OPENAI_API_KEY", "model.base_url": "OPENAI_BASE_URL", "model.name": "OPENAI_MODEL",
		"data_dir": "STEADY_DATA_DIR", "channels.web.listen": "STEADY_WEB_LISTEN", "channels.web.token": "STEADY_WEB_TOKEN",
	}
}

// loadConfig reads the configuration. An empty path means ./config.yaml if it is there, else the defaults. The error lists every
// problem, a line each, with file, line and key.
func loadConfig(path string, getenv func(string) (string, bool)) (Config, error) {
	c := defaults()
	optional := path == ""
	if optional {
		path = "config.yaml"
	}
	source, err := os.ReadFile(path)
	switch {
	case optional && errors.Is(err, os.ErrNotExist):
		source = nil
	case err != nil:
		return c, fmt.Errorf("read configuration: %w", err)
	}
	d := decoder{file: path, getenv: getenv}
	set := d.decode(source, c.settings())
	for _, s := range c.settings() {
		name, ok := environment()[s.path]
		if !ok || set[s.path] {
			continue
		}
		if v, ok := getenv(name); ok && v != "" {
			if err := s.set(scalar{text: v}); err != nil {
				d.problems = append(d.problems, fmt.Sprintf("environment variable %s: %v", name, err))
			}
		}
	}
	d.problems = append(d.problems, c.contradictions()...)
	if len(d.problems) > 0 {
		return c, errors.New(strings.Join(d.problems, "\n"))
	}
	return c, nil
}

// contradictions are what no single key shows.
func (c *Config) contradictions() []string {
	var out []string
	say := func(key, what string) { out = append(out, key+": "+what) }
	if c.Store != "bolt" {
		say("store", `this version keeps its data in one file: set it to "bolt"`)
	}
	if c.Model.Provider == "openai" && c.Model.APIKey == "" && strings.Contains(c.Model.BaseURL, "api.openai.com") {
		say("model.api_key", "is needed for "+c.Model.BaseURL)
	}
	if c.Telegram.Mode != "polling" && c.Telegram.Token != "" {
		say("channels.telegram.mode", `this version polls: set it to "polling"`)
	}
	if c.Lark.AppID != "" {
		say("channels.lark.app_id", "this version has no Lark channel yet: leave it empty")
	}
	if c.Web.Listen != "" && !loopback(c.Web.Listen) && c.Web.Token == "" {
		say("channels.web.token", "is required because "+c.Web.Listen+" is reachable from other machines")
	}
	if c.Web.Listen == "" && c.Telegram.Token == "" {
		say("channels", "none is switched on: set channels.web.listen or channels.telegram.token")
	}
	return out
}

// loopback tells whether only this machine reaches an address.
func loopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// offline tells whether the model is the built-in coach.
func (c *Config) offline() bool {
	return c.Model.Provider == "offline" || c.Model.Provider == "auto" && c.Model.APIKey == ""
}

func (c *Config) lang() core.Lang { return core.ParseLang(c.Language) }

func validURL(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return errors.New("must be an http or https address")
	}
	if u.RawQuery != "" || u.User != nil {
		return errors.New("must have no query and no user")
	}
	return nil
}
