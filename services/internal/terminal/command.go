package terminal

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Run does the command that args name. The error is ready to be shown, and knows with which
// status to end (ExitCode), unless nobody foresaw it.
func Run(ctx context.Context, root *cobra.Command, t *Terminal, args []string) error {
	t.Flags(root)
	root.PersistentFlags().BoolP("help", "h", false, "muestra esta ayuda")
	root.AddCommand(completion(root))
	root.SetHelpCommand(&cobra.Command{
		Use: "ayuda [comando]", Aliases: []string{"help"}, Short: "Muestra la ayuda de un comando", Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error { return helpOf(root, args) },
	})
	root.InitDefaultHelpCmd()
	root.CompletionOptions.DisableDefaultCmd = true
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(help)
	prepare(root)
	root.SetIn(t.In)
	root.SetOut(t.Out)
	root.SetErr(t.Err)
	root.SetArgs(args)
	return readable(root.ExecuteContext(ctx))
}

// prepare makes each command refuse in Spanish what cobra would refuse in English.
func prepare(cmd *cobra.Command) {
	cmd.SuggestionsMinimumDistance = 2
	complete(cmd)
	if cmd.Args == nil {
		cmd.Args = noMore
	}
	do := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if do == nil {
			return Usage("Falta decir qué de %s: %s.", path(cmd), orList(names(cmd)))
		}
		flags := missing(cmd)
		if len(flags) > 0 {
			return Usage("Falta %s; vea %s --help.", list(flags, "y"), cmd.CommandPath())
		}
		return do(cmd, args)
	}
	for _, below := range cmd.Commands() {
		prepare(below)
	}
}

// noMore refuses arguments: everything is given by flags.
func noMore(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case cmd.HasAvailableSubCommands():
		return unknown(cmd, args[0])
	default:
		// What was given is not repeated: it may be a CURP, or a secret.
		return Usage("%s no admite más palabras: todo se da con opciones; vea %s --help.", path(cmd), cmd.CommandPath())
	}
}

// unknown refuses a command that does not exist, and names the one that may have been meant.
func unknown(cmd *cobra.Command, name string) error {
	meant := cmd.SuggestionsFor(name)
	if len(meant) > 0 {
		return Usage("%s no tiene el comando %q; ¿quiso decir %s?", path(cmd), name, orList(meant))
	}
	return Usage("%s no tiene el comando %q; use %s.", path(cmd), name, orList(names(cmd)))
}

// path is a command's name without the program's, which stands before every error.
func path(cmd *cobra.Command) string {
	if !cmd.HasParent() {
		return cmd.Name()
	}
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

func names(cmd *cobra.Command) []string {
	var all []string
	for _, below := range cmd.Commands() {
		if below.IsAvailableCommand() {
			all = append(all, below.Name())
		}
	}
	return all
}

// flagError words what pflag refuses.
func flagError(cmd *cobra.Command, err error) error {
	stray := cmd.Flags().Args()
	if cmd.HasAvailableSubCommands() && len(stray) > 0 {
		return unknown(cmd, stray[0])
	}
	if absent, is := errors.AsType[*pflag.NotExistError](err); is {
		return unknownFlag(cmd, dashed(absent.GetSpecifiedName()))
	}
	if empty, is := errors.AsType[*pflag.ValueRequiredError](err); is {
		return Usage("Falta el valor de --%s.", empty.GetSpecifiedName())
	}
	if wrong, is := errors.AsType[*pflag.InvalidValueError](err); is {
		return Usage("--%s no admite %q: %s.", wrong.GetFlag().Name, wrong.GetValue(), allowed(wrong))
	}
	if broken, is := errors.AsType[*pflag.InvalidSyntaxError](err); is {
		return Usage("%q no es una opción; vea %s --help.", broken.GetSpecifiedFlag(), cmd.CommandPath())
	}
	return err
}

// allowed says what a flag takes.
func allowed(wrong *pflag.InvalidValueError) string {
	own, is := errors.AsType[*failure](wrong.Unwrap())
	if is {
		return own.text
	}
	switch wrong.GetFlag().Value.Type() {
	case "bool":
		return "use true o false, o nada"
	case "int":
		return "use un número entero"
	case "uint":
		return "use un número entero, sin signo"
	default:
		return "vea la ayuda"
	}
}

// dashed writes a flag's name as it was given.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// unknownFlag refuses a flag that does not exist, and names the one that may have been meant:
// cobra knows what is alike of commands, so each flag is made one.
func unknownFlag(cmd *cobra.Command, name string) error {
	var known []string
	alike := &cobra.Command{SuggestionsMinimumDistance: cmd.SuggestionsMinimumDistance}
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if !flag.Hidden {
			known = append(known, "--"+flag.Name)
			alike.AddCommand(&cobra.Command{Use: "--" + flag.Name, Run: func(*cobra.Command, []string) {}})
		}
	})
	meant := alike.SuggestionsFor(name)
	if len(meant) > 0 {
		return Usage("%s no tiene la opción %s; ¿quiso decir %s?", path(cmd), name, orList(meant))
	}
	slices.Sort(known)
	return Usage("%s no tiene la opción %s; tiene %s.", path(cmd), name, list(known, "y"))
}
