// Command bot runs Steady, a habit coach and assistant for chats that asks before it acts. docs/configuration.md is its manual.
//
//	main.go    the command line
//	config.go  what can be configured; decode.go reads it
//	run.go     everything is put together, and taken apart again
//	check.go   what works and what does not
//	health.go  /healthz
//	coach.go   what the offline coach must know of the catalog
//	pairing.go who was let in by the code
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
)

const usage = `usage:
  bot [-config FILE]                 run
  bot check [-config FILE] [-local]  say what works and what does not
  bot version
`

// The exit codes (docs/configuration.md).
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the program without the process around it.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	name := ""
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	}
	flags := flag.NewFlagSet("bot", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, usage) }
	file := flags.String("config", "", "configuration file")
	local := false
	if name == "check" {
		flags.BoolVar(&local, "local", false, "only what this machine can tell")
	}
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		return exitUsage
	case flags.NArg() > 0:
		fmt.Fprint(stderr, usage)
		return exitUsage
	}
	switch name {
	case "version":
		fmt.Fprintln(stdout, "steady", version())
		return exitOK
	case "", "check":
	default:
		fmt.Fprint(stderr, usage)
		return exitUsage
	}
	c, err := loadConfig(*file, os.LookupEnv)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return exitFailed
	}
	if name == "check" {
		return check(ctx, c, local, stdout)
	}
	if err := serve(ctx, c, logger(c, stderr), stdout); err != nil {
		fmt.Fprintln(stderr, "bot:", err)
		return exitFailed
	}
	return exitOK
}

// version is the module's, with the revision that it was built from where that is known.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "devel"
	}
	return info.Main.Version
}

func logger(c Config, w io.Writer) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		level = slog.LevelInfo // unreachable: the configuration was checked
	}
	opt := &slog.HandlerOptions{Level: level}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, opt))
	}
	return slog.New(slog.NewTextHandler(w, opt))
}
