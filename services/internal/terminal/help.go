package terminal

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpOf shows the help of the command that args name.
func helpOf(root *cobra.Command, args []string) error {
	found := root
	for _, name := range args {
		next, _, err := found.Find([]string{name})
		if err != nil || next == found {
			return unknown(found, name)
		}
		found = next
	}
	return found.Help()
}

// help replaces cobra's, whose words are English.
func help(cmd *cobra.Command, _ []string) {
	out := cmd.OutOrStdout()
	text := cmd.Long
	if text == "" {
		text = cmd.Short + "."
	}
	fmt.Fprintf(out, "%s\n\nUso:\n  %s\n", strings.TrimSpace(text), usageLine(cmd))
	if cmd.Example != "" {
		fmt.Fprintf(out, "\nEjemplos:\n%s\n", indent(cmd.Example))
	}
	helpCommands(out, cmd)
	helpFlags(out, "Opciones", cmd.LocalNonPersistentFlags())
	helpFlags(out, "Opciones de todos los comandos", cmd.Root().PersistentFlags())
}

func usageLine(cmd *cobra.Command) string {
	line := cmd.CommandPath()
	if _, arguments, has := strings.Cut(cmd.Use, " "); has {
		line += " " + arguments
	}
	if cmd.HasAvailableSubCommands() {
		return line + " <comando>"
	}
	cmd.LocalNonPersistentFlags().VisitAll(func(flag *pflag.Flag) {
		if isRequired(flag) {
			line += " " + shape(flag)
		}
	})
	return line + " [opciones]"
}

func helpCommands(out io.Writer, cmd *cobra.Command) {
	rows := [][2]string{}
	for _, below := range cmd.Commands() {
		if below.IsAvailableCommand() {
			rows = append(rows, [2]string{below.Name(), below.Short})
		}
	}
	helpRows(out, "Comandos", rows)
}

func helpFlags(out io.Writer, title string, flags *pflag.FlagSet) {
	rows := [][2]string{}
	flags.VisitAll(func(flag *pflag.Flag) {
		_, usage := pflag.UnquoteUsage(flag)
		if isRequired(flag) {
			usage += " (obligatoria)"
		}
		if !flag.Hidden {
			rows = append(rows, [2]string{shape(flag), usage})
		}
	})
	helpRows(out, title, rows)
}

// shape is how a flag is written: --id-empresa RFC.
func shape(flag *pflag.Flag) string {
	value, _ := pflag.UnquoteUsage(flag)
	return strings.TrimSpace("--" + flag.Name + " " + value)
}

func helpRows(out io.Writer, title string, rows [][2]string) {
	if len(rows) == 0 {
		return
	}
	width := 0
	for _, row := range rows {
		width = max(width, length(row[0]))
	}
	fmt.Fprintf(out, "\n%s:\n", title)
	for _, row := range rows {
		fmt.Fprintf(out, "  %s  %s\n", pad(row[0], width), row[1])
	}
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ")
}

// completion writes what a shell reads to complete commands and options.
func completion(root *cobra.Command) *cobra.Command {
	writers := map[string]func(io.Writer) error{
		"bash":       func(out io.Writer) error { return root.GenBashCompletionV2(out, true) },
		"fish":       func(out io.Writer) error { return root.GenFishCompletion(out, true) },
		"powershell": root.GenPowerShellCompletionWithDesc,
		"zsh":        root.GenZshCompletion,
	}
	shell := Option{Allowed: []string{"bash", "fish", "powershell", "zsh"}}
	cmd := &cobra.Command{
		Use: "completado", Short: "Escribe lo que un intérprete de comandos necesita para completar con el tabulador",
		Example: fmt.Sprintf("source <(%s completado --shell bash)\n%s completado --shell zsh > \"${fpath[1]}/_%s\"",
			root.Name(), root.Name(), root.Name()),
		RunE: func(cmd *cobra.Command, _ []string) error { return writers[shell.Value](cmd.OutOrStdout()) },
	}
	shell.Declare(cmd.Flags(), "shell", "el intérprete")
	Require(cmd, "shell")
	return cmd
}
