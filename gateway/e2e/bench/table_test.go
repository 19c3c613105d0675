package bench

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func times(figure float64) string     { return fmt.Sprintf("%.2f", figure) }
func micros(figure float64) string    { return fmt.Sprintf("%.0f µs", figure*1e6) }
func millis(figure float64) string    { return fmt.Sprintf("%.1f ms", figure*1e3) }
func seconds(figure float64) string   { return fmt.Sprintf("%.2f s", figure) }
func whole(figure float64) string     { return fmt.Sprintf("%.0f", figure) }
func mebibytes(figure float64) string { return fmt.Sprintf("%.1f MiB", figure/(1<<20)) }

func (r row) goalText() string {
	if r.goal.atLeast {
		return "≥ " + r.form(r.goal.limit)
	}
	return "≤ " + r.form(r.goal.limit)
}

// begins is how the line of a row begins.
func (r row) begins() string { return fmt.Sprintf("| %s | %s | ", r.title, r.goalText()) }

// line writes a row of the table and tells whether its goal was met: by the median of every
// case.
func (r row) line(cells []*cell) (text string, met bool) {
	met = true
	var told []string
	for _, c := range cells {
		figures := c.figures(r)
		if len(figures) == 0 {
			continue
		}
		s := spreadOf(figures)
		one := fmt.Sprintf("%s (%s–%s)", r.form(s.median), r.form(s.least), r.form(s.most))
		if !r.goal.met(s.median) {
			met, one = false, "**"+one+"**"
		}
		told = append(told, strings.TrimSpace(c.Case+" "+one))
	}
	outcome := "met"
	switch {
	case told == nil:
		outcome = "not measured"
	case !met:
		outcome = "missed"
	}
	return r.begins() + strings.Join(told, "; ") + " | " + outcome + " |\n", met
}

const tableHead = "| Measure | Goal | Median (least–most) | |\n|---|---|---|---|\n"

// table writes the measures as Markdown, and counts the goals that were missed.
func (r *results) table(taken []measure) (text string, missed int) {
	var table strings.Builder
	table.WriteString(tableHead)
	for _, m := range taken {
		for _, row := range m.rows {
			line, met := row.line(r.of(m.name))
			table.WriteString(line)
			if !met {
				missed++
			}
		}
	}
	return table.String(), missed
}

// told is what is printed of a measure when it was taken.
func (r *results) told(m measure) string {
	if m.axis != "" {
		return r.curves(m)
	}
	text, _ := r.table([]measure{m})
	return text
}

// curves writes the medians of what is drawn.
func (r *results) curves(m measure) string {
	text := fmt.Sprintf("| µs a record, by %s | %s | %s | %s |\n|---|---|---|---|\n", m.axis, ours, peer, bare)
	for _, c := range r.of(m.name) {
		text += "| " + c.Case
		for _, column := range []string{ours, peer, bare} {
			text += " | " + whole(spreadOf(c.Columns[column]).median*1e6)
		}
		text += " |\n"
	}
	return text
}

// when tells the day of the oldest figure.
func (r *results) when() string {
	oldest := time.Now()
	for _, c := range r.Cells {
		if c.Taken.Before(oldest) {
			oldest = c.Taken
		}
	}
	return oldest.Format(time.DateOnly)
}

// TestTable holds that a case which misses its goal is seen, whatever the others reach.
func TestTable(t *testing.T) {
	t.Parallel()
	m := measure{name: "m", rows: []row{
		{"a ratio", ours, peer, atMost(0.9), times},
		{"a rate", "rate", "", atLeast(300), whole},
		{"nothing", "none", "", atMost(1), times},
	}}
	r := results{Cells: []*cell{
		{Measure: "m", Case: "x", Columns: map[string][]float64{ours: {1, 4, 2}, peer: {2, 2, 2}, "rate": {299, 310, 320}}},
		{Measure: "m", Case: "y", Columns: map[string][]float64{ours: {1, 1}, peer: {2, 4}}},
		{Measure: "other", Case: "x", Columns: map[string][]float64{ours: {9}, peer: {1}}},
	}}
	got, missed := r.table([]measure{m})
	const want = tableHead +
		"| a ratio | ≤ 0.90 | x **1.00 (0.50–2.00)**; y 0.38 (0.25–0.50) | missed |\n" +
		"| a rate | ≥ 300 | x 310 (299–320) | met |\n" +
		"| nothing | ≤ 1.00 |  | not measured |\n"
	if got != want || missed != 1 {
		t.Errorf("%d missed in:\n%swant 1 in:\n%s", missed, got, want)
	}
}
