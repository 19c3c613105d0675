package process

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
)

// Main runs a program until it ends by itself or a SIGINT or SIGTERM arrives, and exits
// with status 1 when run returns an error. It is the only place that exits the process,
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
		os.Exit(1)
	}
}
