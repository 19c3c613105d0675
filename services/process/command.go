package process

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// Run does the command that the program's first argument names, "serve" without one.
func Run(ctx context.Context, commands map[string]func(context.Context) error) error {
	name := "serve"
	if len(os.Args) > 1 {
		name = os.Args[1]
	}
	do, known := commands[name]
	if !known {
		return fmt.Errorf("unknown command %q: use %s", name, strings.Join(slices.Sorted(maps.Keys(commands)), " or "))
	}
	return do(ctx)
}

// With has a command take its settings from the environment.
func With[C any](do func(ctx context.Context, cfg C) error) func(context.Context) error {
	return func(ctx context.Context) error {
		cfg, err := Load[C]()
		if err != nil {
			return err
		}
		return do(ctx, cfg)
	}
}
