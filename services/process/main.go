package process

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
)

// Main runs a program until it ends by itself or a SIGINT or SIGTERM arrives, and exits
// with status 1 when run returns an error, or with the one that the error asks for by a
// method ExitCode. It is the only place that exits the process,
// and the only one that listens to signals. A second signal kills at once.
func Main(name string, run func(ctx context.Context, log *slog.Logger) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)

	log := NewLogger(os.Stderr, name, os.Getenv("LOG_LEVEL"))
	slog.SetDefault(log)
	err := run(ctx, log)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(exitCode(err))
	}
}

func exitCode(err error) int {
	asks, own := errors.AsType[interface {
		error
		ExitCode() int
	}](err)
	if own {
		return asks.ExitCode()
	}
	return 1
}
