package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/enlace-iis/enlace/deploy/settings/declared"
)

// row is one line of the table: a variable with the programs that read it.
type row struct {
	declared.Setting
	programs []string
}

// table writes the settings as Markdown, by name. A variable that several programs read is
// one row if it means the same to all, else one for each.
func table(settings []declared.Setting) []byte {
	var out bytes.Buffer
	fmt.Fprintln(&out, "| Variable | Default | Read by | Meaning |")
	fmt.Fprintln(&out, "|---|---|---|---|")
	for _, r := range rows(settings) {
		fmt.Fprintf(&out, "| `%s` | %s | %s | %s |\n", r.Variable, r.defaultText(), strings.Join(r.programs, ", "), escape(r.Meaning))
	}
	return out.Bytes()
}

func rows(settings []declared.Setting) []row {
	var all []row
	for _, s := range settings {
		i := slices.IndexFunc(all, func(r row) bool {
			return r.Variable == s.Variable && r.Default == s.Default && r.Required == s.Required && r.Meaning == s.Meaning
		})
		if i < 0 {
			all = append(all, row{Setting: s})
			i = len(all) - 1
		}
		if !slices.Contains(all[i].programs, s.Program) {
			all[i].programs = append(all[i].programs, s.Program)
		}
	}
	slices.SortStableFunc(all, func(a, b row) int { return strings.Compare(a.Variable, b.Variable) })
	return all
}

func (r row) defaultText() string {
	switch {
	case r.Required:
		return "required"
	case r.Default == "":
		return ""
	default:
		return "`" + r.Default + "`"
	}
}

func escape(text string) string {
	return strings.ReplaceAll(text, "|", "\\|")
}
