package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"
	_ "time/tzdata" // time zones also where the machine has none

	"steady/channels/telegram"
	"steady/channels/web"
	"steady/core"
	"steady/core/offline"
	"steady/core/openai"
	"steady/store"
	"steady/tools"
	"steady/tools/habit"
)

// dataFile is the one file that everything is in, below data_dir.
const dataFile = "steady.db"

// serve runs the bot until ctx ends. What is built last is stopped first.
func serve(ctx context.Context, c Config, log *slog.Logger, out io.Writer) (err error) {
	s, err := openStore(c, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	coach, err := habit.New()
	if err != nil {
		return fmt.Errorf("habit catalog: %w", err)
	}
	e, err := newEngine(c, s, coach, log)
	if err != nil {
		return err
	}
	channels, err := newChannels(c, s, e, coach, log, out)
	if err != nil {
		return err
	}
	if c.AdminListen != "" {
		a, err := startAdmin(c.AdminListen)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, a.stop()) }()
	}
	debug.FreeOSMemory() // what was only needed to start goes back at once: an idle bot shall cost a small server little
	log.Info("started", "version", version(), "model", modelName(c), "channels", strings.Join(names(channels), ","))
	err = e.Run(ctx, channels)
	log.Info("stopped")
	return inUse(err, "channels.web.listen", c.Web.Listen)
}

// inUse says what to do when an address is taken.
func inUse(err error, key, listen string) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%s: another program listens on %s: stop it, or set another address", key, listen)
	}
	return err
}

// reachable is an address that can be opened from this machine.
func reachable(a net.Addr) string {
	if tcp, ok := a.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return net.JoinHostPort("127.0.0.1", strconv.Itoa(tcp.Port))
	}
	return a.String()
}

func openStore(c Config, log *slog.Logger) (*store.Store, error) {
	s, err := store.Open(filepath.Join(c.DataDir, dataFile), store.Options{Log: log, Limits: store.Limits{Normal: c.Agent.QueueLimit}})
	switch {
	case errors.Is(err, store.ErrLocked):
		return nil, fmt.Errorf("another bot is using %s: stop it first, or set data_dir to another folder", c.DataDir)
	case err != nil:
		return nil, err
	}
	return s, nil
}

func newEngine(c Config, s core.Store, coach *habit.Coach, log *slog.Logger) (*core.Engine, error) {
	list, err := tools.All(coach)
	if err != nil {
		return nil, err
	}
	model, err := newModel(c, coach, log)
	if err != nil {
		return nil, err
	}
	zone, err := time.LoadLocation(c.Timezone)
	if err != nil {
		return nil, fmt.Errorf("timezone: %w", err)
	}
	persona := "You are Steady, a habit coach and assistant in a chat."
	if c.Agent.PersonaFile != "" {
		more, err := os.ReadFile(c.Agent.PersonaFile)
		if err != nil {
			return nil, fmt.Errorf("agent.persona_file: %w", err)
		}
		persona += "\n\n" + strings.TrimSpace(string(more))
	}
	var approvers []core.AccountID
	for _, a := range c.Agent.Approvers {
		approvers = append(approvers, core.AccountID(a))
	}
	return core.New(core.Options{
		Store: s, Model: model, Tools: list, Commands: coach.Commands(), Guard: coach.Guard, Plan: coach.Plan,
		Persona: persona, Rules: habit.Rules, Lang: c.lang(), Zone: zone, Log: log,
		Limits: core.Limits{ContextTokens: c.Model.ContextTokens - c.Model.MaxOutputTokens, MaxToolRounds: c.Agent.MaxToolRounds,
			ToolTimeout: c.Agent.ToolTimeout, ToolResult: c.Agent.ToolResultLimit, TurnTimeout: c.Agent.TurnTimeout, Workers: c.Agent.Workers,
			SoftHistoryTurns: c.Agent.SoftHistoryTurns, ConfirmExpiry: c.Agent.ConfirmExpiry, Approvers: approvers,
			InputLimit: c.Agent.InputLimit, ShutdownGrace: c.ShutdownGrace},
	})
}

func modelName(c Config) string {
	if c.offline() {
		return "offline coach"
	}
	return c.Model.Name
}

func newModel(c Config, coach *habit.Coach, log *slog.Logger) (core.Model, error) {
	if c.offline() {
		return offline.New(offlineConfig(coach))
	}
	m := c.Model
	return openai.New(openai.Config{BaseURL: m.BaseURL, Key: openai.Key(m.APIKey), Model: m.Name, MaxOutputTokens: m.MaxOutputTokens,
		Temperature: float32(m.Temperature), ConnectTimeout: m.ConnectTimeout, FirstTokenTimeout: m.FirstTokenTimeout,
		IdleTimeout: m.IdleTimeout, Retries: m.Retries, Log: log})
}

// newChannels makes the channels that are switched on. Their names are stored with the chats.
func newChannels(c Config, s core.Store, e *core.Engine, coach *habit.Coach, log *slog.Logger, out io.Writer) (map[string]core.Channel, error) {
	channels := map[string]core.Channel{}
	paired := &pairing{store: s}
	code := ""
	if t := c.Telegram; t.Token != "" {
		if len(t.Allow) == 0 {
			code = pairCode()
			fmt.Fprintf(out, "To pair Telegram, send your bot: /start %s\n", code)
		}
		ch, err := telegram.New(telegram.Config{Token: telegram.Secret(t.Token), APIURL: t.APIURL, PollTimeout: t.PollTimeout,
			StreamInterval: t.StreamInterval, Allow: t.Allow, Groups: telegram.Groups{Allow: t.Groups.Allow, RequireMention: t.Groups.RequireMention},
			Commands: menu(coach), Paired: paired, PairCode: code, Log: log})
		if err != nil {
			return nil, err
		}
		channels["telegram"] = ch
	}
	if c.Web.Listen != "" {
		hint := func() string {
			if code == "" || paired.used.Load() || !loopback(c.Web.Listen) {
				return ""
			}
			return "Telegram: /start " + code
		}
		labels := map[string]core.LocalText{}
		list, err := tools.All(coach)
		if err != nil {
			return nil, err
		}
		for _, t := range list {
			labels[t.Name] = t.Label
		}
		ch, err := web.New(web.Config{Listen: c.Web.Listen, Token: string(c.Web.Token), Reader: e, Lang: c.lang(), PairingHint: hint,
			ToolLabel: func(name string) core.LocalText { return labels[name] }, Extra: extra(c), Log: log,
			Listening: func(a net.Addr) { fmt.Fprintf(out, "Steady is at http://%s\n", reachable(a)) }})
		if err != nil {
			return nil, fmt.Errorf("channels.web: %w", err)
		}
		channels["web"] = ch
	}
	return channels, nil
}

// extra is what the page's address serves under /-/: health, unless that has an address of its own.
func extra(c Config) http.Handler {
	if c.AdminListen != "" {
		return nil
	}
	return health()
}

func menu(coach *habit.Coach) []telegram.Command {
	var out []telegram.Command
	for _, c := range core.CommandList(coach.Commands()) {
		out = append(out, telegram.Command{Name: c.Name, Description: c.Description})
	}
	return out
}
