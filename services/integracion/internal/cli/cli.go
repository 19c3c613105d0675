// Package cli is the operator's command line of the integracion binary: a file for each
// noun, the table of all commands in commands.go. How answers, refusals and helps look is
// package terminal's.
//
// Secrets never come in arguments, which other users of the machine can list: they are
// read from stdin with --clave-stdin, or made up, and printed once.
package cli

import (
	"context"
	"os/user"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/enlace-iis/enlace/services/integracion/internal/app"
	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/internal/terminal"
	"github.com/enlace-iis/enlace/services/process"
)

// act does what a command asks, and prints its answer.
type act func(ctx context.Context, t *terminal.Terminal) error

// action does what a command asks of the database, and gives what to print.
type action func(ctx context.Context, op *app.Operador, t *terminal.Terminal) (any, error)

// noun is what commands are about.
type noun struct {
	name, short string
	commands    []command
}

// command declares its flags and gives what to do once they are read.
type command struct {
	name, short, example string
	declare              func(flags *pflag.FlagSet) act
	required             []string
}

// Run does the command that args name: one of an operator, or of the program below root. The
// settings come from the environment.
func Run(ctx context.Context, root *cobra.Command, t *terminal.Terminal, args []string) error {
	for _, each := range nouns {
		group := &cobra.Command{Use: each.name, Short: each.short}
		for _, c := range each.commands {
			group.AddCommand(c.cobra(root.Name()+" "+each.name, t))
		}
		root.AddCommand(group)
	}
	for _, c := range verbs {
		root.AddCommand(c.cobra(root.Name(), t))
	}
	return terminal.Run(ctx, root, t, args)
}

func (c command) cobra(above string, t *terminal.Terminal) *cobra.Command {
	cmd := &cobra.Command{Use: c.name, Short: c.short, Example: above + " " + c.name + c.example}
	do := c.declare(cmd.Flags())
	terminal.Require(cmd, c.required...)
	if slices.Equal(c.required, []string{archivo}) {
		terminal.AllowBare(cmd, archivo)
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return do(cmd.Context(), t) }
	return cmd
}

// archivo names the flag that a command which needs nothing else also takes without its name.
const archivo = "archivo"

// onDatabase makes an act of what goes to the database directly, with integracion's settings.
func onDatabase(do action) act {
	return func(ctx context.Context, t *terminal.Terminal) error {
		cfg, err := process.Load[app.Storage]()
		if err != nil {
			return err
		}
		op, err := app.OpenOperador(ctx, cfg)
		if err != nil {
			return err
		}
		defer op.Close()
		ctx = bitacora.WithActuacion(ctx, bitacora.Actuacion{Actor: consoleActor(), Desde: time.Now()})
		answer, err := do(ctx, op, t)
		if err != nil {
			return err
		}
		return t.Show(answer)
	}
}

// consoleActor names in the Bitácora who works at this console, as the system knows them.
func consoleActor() string {
	who, err := user.Current()
	if err != nil {
		return "consola"
	}
	return "consola:" + who.Username
}

// empresaFlag declares --id-empresa.
func empresaFlag(flags *pflag.FlagSet) *string {
	return flags.String("id-empresa", "", "`RFC` con homoclave de la institución")
}
