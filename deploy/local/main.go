// Command local runs Enlace on one machine with one command, for whoever develops it, tries it or tests against it.
//
//	local run                       builds and runs everything, with two demo institutions, until a signal
//	local con-postgres -- command   runs a command with a throw-away PostgreSQL in TEST_DATABASE_URL
//	local con-citus -- command      the same with the coordinator of a throw-away Citus, whose workers are in TEST_CITUS_WORKERS
//	local limpiar                   deletes what earlier runs left
//
// It owns no part of the system: the parts are package stack's, what is in them package demo's. Its own are the order of
// things, the settings (settings.go) and what a person reads (guide.go). Nothing that it starts outlives it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

const usage = `uso: local run
     local con-postgres -- orden [argumentos…]
     local con-citus -- orden [argumentos…]
     local limpiar
`

func main() {
	os.Exit(dispatch(os.Args[1:]))
}

// dispatch runs a subcommand and returns the exit status.
func dispatch(args []string) int {
	// Signals stay caught to the end, also when there are more of them (make repeats its own to its children): stopping
	// has limits of its own, and dying in the middle of it would cut the children short.
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, endSignals()...)
	go cancelWithoutGoRun(ctx, cancel)

	switch {
	case len(args) == 1 && args[0] == "run":
		// Caught, a closed terminal or pipe only makes writing fail; uncaught it would kill the launcher in mid-work.
		signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
		go cancelAtFirst(signals, cancel)
		return report(run(ctx, os.Stdout))
	case len(args) == 1 && args[0] == "limpiar":
		go cancelAtFirst(signals, cancel)
		return report(clean(ctx))
	case len(args) > 2 && args[0] == "con-postgres" && args[1] == "--":
		status, err := withPostgres(ctx, signals, args[2:])
		return max(status, report(err))
	case len(args) > 2 && args[0] == "con-citus" && args[1] == "--":
		status, err := withCitus(ctx, signals, args[2:])
		return max(status, report(err))
	default:
		fmt.Fprint(os.Stderr, usage)
		return 2
	}
}

// endSignals are what ends the launcher. A hang-up that somebody ignores, as nohup does, stays ignored.
func endSignals() []os.Signal {
	ending := []os.Signal{syscall.SIGINT, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		ending = append(ending, syscall.SIGHUP)
	}
	return ending
}

func cancelAtFirst(signals <-chan os.Signal, cancel context.CancelFunc) {
	<-signals
	cancel()
}

// report prints an error, unless it only says that a signal ended the work, and returns the exit status.
func report(err error) int {
	if err == nil || errors.Is(err, errSignal) {
		return 0
	}
	fmt.Fprintln(os.Stderr, "error:", err)
	return 1
}

// errSignal says that a signal asked for the end.
var errSignal = errors.New("ended by a signal")
