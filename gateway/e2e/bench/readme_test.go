package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The table in README.md is between these lines.
const tableBegins, tableEnds = "<!-- make bench-publish -->\n", "<!-- /make bench-publish -->\n"

// readme gives what of README.md is before, in and after the table.
func readme(tb testing.TB) (before, table, after string) {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join(root(tb), "README.md"))
	if err != nil {
		tb.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(text), tableBegins)
	table, after, ends := strings.Cut(rest, tableEnds)
	if !begins || !ends {
		tb.Fatal("README.md has no place for the table")
	}
	return before, table, after
}

// publish writes the last results into README.md, and their curves beside its pages.
func publish(tb testing.TB) {
	tb.Helper()
	r, err := readResults(outFolder(tb))
	if err != nil {
		tb.Fatal(err)
	}
	before, _, after := readme(tb)
	table, missed := r.table(measures)
	text := fmt.Sprintf("%s%s%s\nGoals missed: %d. Measured %s: %s; load average as it began %.1f.\n%s%s",
		before, tableBegins, table, missed, r.when(), r.Machine, r.Load, tableEnds, after)
	for path, content := range map[string]string{"README.md": text, "docs/bench.svg": chart(r)} {
		err = os.WriteFile(filepath.Join(root(tb), path), []byte(content), 0o644)
		if err != nil {
			tb.Fatal(err)
		}
	}
}

// TestReadme holds that the table in README.md has every measure with its present goal.
func TestReadme(t *testing.T) {
	if chosen.publish {
		publish(t)
	}
	_, table, _ := readme(t)
	rows := 0
	for _, m := range measures {
		for _, row := range m.rows {
			rows++
			if !strings.Contains(table, row.begins()) {
				t.Errorf("README.md lacks a line that begins with %q: run make bench-publish", row.begins())
			}
		}
	}
	if got := strings.Count(table, "\n| "); got != rows {
		t.Errorf("the table has %d lines, there are %d measures", got, rows)
	}
}
