package terminal

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Option is the value of a flag that takes one word of a few. Empty: it was not given.
type Option struct {
	Value   string
	Allowed []string
}

var _ pflag.Value = (*Option)(nil)

// Declare adds the flag.
func (o *Option) Declare(flags *pflag.FlagSet, name, usage string) {
	flags.Var(o, name, usage)
}

// String implements [pflag.Value].
func (o *Option) String() string { return o.Value }

// Type implements [pflag.Value]: what stands for the value in a help.
func (o *Option) Type() string { return strings.Join(o.Allowed, "|") }

// Set implements [pflag.Value].
func (o *Option) Set(text string) error {
	if !slices.Contains(o.Allowed, text) {
		return Usage("use %s", orList(o.Allowed))
	}
	o.Value = text
	return nil
}

// required marks flags that a command does not work without.
const required = "enlace_obligatoria"

// Require marks flags of a command that have to be given.
func Require(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		flag := cmd.Flags().Lookup(name)
		flag.Annotations = map[string][]string{required: {name}}
	}
}

// AllowBare lets a command's one argument stand for a flag.
func AllowBare(cmd *cobra.Command, name string) {
	cmd.Use += " [" + name + "]"
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveDefault
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 || len(args) == 1 && cmd.Flags().Changed(name) {
			return Usage("%s admite un solo %s; vea %s --help.", path(cmd), name, cmd.CommandPath())
		}
		if len(args) == 1 {
			return cmd.Flags().Set(name, args[0])
		}
		return nil
	}
}

func isRequired(flag *pflag.Flag) bool {
	return flag.Annotations[required] != nil
}

// missing names the required flags that were not given, or given empty.
func missing(cmd *cobra.Command) []string {
	var names []string
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if isRequired(flag) && flag.Value.String() == flag.DefValue {
			names = append(names, "--"+flag.Name)
		}
	})
	return names
}

// orList joins words for a sentence: a, b o c.
func orList(words []string) string {
	return list(words, "o")
}

func list(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	n := len(words) - 1
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}

// Complete offers the values of every Option below cmd to the shell.
func complete(cmd *cobra.Command) {
	for _, flags := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
		flags.VisitAll(func(flag *pflag.Flag) {
			allowed := []string{}
			if option, is := flag.Value.(*Option); is {
				allowed = option.Allowed
			}
			// It fails only for a flag that is not there, or is known already.
			_ = cmd.RegisterFlagCompletionFunc(flag.Name, cobra.FixedCompletions(allowed, cobra.ShellCompDirectiveNoFileComp))
		})
	}
}
