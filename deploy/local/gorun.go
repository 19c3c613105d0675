package main

import (
	"context"
	"os"
	"strings"
	"time"
)

// parentInterval is how often the launcher looks for its parent.
const parentInterval = time.Second

// cancelWithoutGoRun ends the launcher when it was started by "go run" and that one is gone: go dies of a SIGTERM
// without passing it on, and the launcher would stay behind with everything it runs.
func cancelWithoutGoRun(ctx context.Context, cancel context.CancelFunc) {
	program, err := os.Executable()
	if err != nil || !strings.Contains(program, "go-build") {
		return
	}
	parent := os.Getppid()
	ticker := time.NewTicker(parentInterval)
	defer ticker.Stop()
	for os.Getppid() == parent {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
	cancel()
}
