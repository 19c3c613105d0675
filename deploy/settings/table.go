package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// row is one line of the table: a variable with the programs that read it.
type row struct {
	setting
	programs []string
}

// table writes the settings as Markdown, by name. A variable that several programs read is
// one row if it means the same to all, else one for each.
func table(settings []setting) []byte {
	var out bytes.Buffer
	fmt.Fprintln(&out, "| Variable | Default | Read by | Meaning |")
	fmt.Fprintln(&out, "|---|---|---|---|")
	for _, r := range rows(settings) {
		fmt.Fprintf(&out, "| `%s` | %s | %s | %s |\n", r.variable, r.defaultText(), strings.Join(r.programs, ", "), escape(r.meaning))
	}
	return out.Bytes()
}

func rows(settings []setting) []row {
	var all []row
	for _, s := range settings {
		i := slices.IndexFunc(all, func(r row) bool {
			return r.variable == s.variable && r.fallback == s.fallback && r.required == s.required && r.meaning == s.meaning
		})
		if i < 0 {
			all = append(all, row{setting: s})
			i = len(all) - 1
		}
		if !slices.Contains(all[i].programs, s.program) {
			all[i].programs = append(all[i].programs, s.program)
		}
	}
	slices.SortStableFunc(all, func(a, b row) int { return strings.Compare(a.variable, b.variable) })
	return all
}

func (r row) defaultText() string {
	switch {
	case r.required:
		return "required"
	case r.fallback == "":
		return ""
	default:
		return "`" + r.fallback + "`"
	}
}

func escape(text string) string {
	return strings.ReplaceAll(text, "|", "\\|")
}
