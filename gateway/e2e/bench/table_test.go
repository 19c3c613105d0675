package bench

import (
	"fmt"
	"strings"
	"time"
)

func times(figure float64) string     { return fmt.Sprintf("%.2f", figure) }
func micros(figure float64) string    { return fmt.Sprintf("%.0f µs", figure*1e6) }
func millis(figure float64) string    { return fmt.Sprintf("%.1f ms", figure*1e3) }
func seconds(figure float64) string   { return fmt.Sprintf("%.2f s", figure) }
func perSecond(figure float64) string { return fmt.Sprintf("%.0f", figure) }
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
