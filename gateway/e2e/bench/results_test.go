package bench

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// results are what was measured on a machine. A run replaces what it measures again and leaves
// the rest as it is, unless that is of another machine or of tables of another size.
type results struct {
	Machine machine `json:"machine"`
	// Load is what the machine did besides: its load average as the busiest run began.
	Load  float64 `json:"load"`
	Cells []*cell `json:"cells"`
}

// cell is one case of a measure: its columns, each with a sample a round.
type cell struct {
	Measure string               `json:"measure"`
	Case    string               `json:"case"`
	Taken   time.Time            `json:"taken"`
	Columns map[string][]float64 `json:"columns"`
}

// of gives the cells of a measure, in the order in which they were taken.
func (r *results) of(measure string) []*cell {
	var found []*cell
	for _, c := range r.Cells {
		if c.Measure == measure {
			found = append(found, c)
		}
	}
	return found
}

// figures are a row's samples in a case: nil if the case is not of the row.
func (c *cell) figures(r row) []float64 {
	figures := slices.Clone(c.Columns[r.of])
	if r.over == "" {
		return figures
	}
	over := c.Columns[r.over]
	if len(over) < len(figures) {
		return nil
	}
	for k := range figures {
		figures[k] /= over[k]
	}
	return figures
}

// spread is what is told of samples.
type spread struct{ median, least, most float64 }

func spreadOf(samples []float64) spread {
	sorted := slices.Sorted(slices.Values(samples))
	middle := (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
	return spread{middle, sorted[0], sorted[len(sorted)-1]}
}

// percentile gives the value that p of 100 stay at or below.
func percentile[T cmp.Ordered](samples []T, p int) T {
	sorted := slices.Sorted(slices.Values(samples))
	return sorted[(len(sorted)-1)*p/100]
}

// forget drops what an earlier run said of a measure.
func (r *results) forget(measure string) {
	r.Cells = slices.DeleteFunc(r.Cells, func(c *cell) bool { return c.Measure == measure })
}

// resultsFile is where the results of a checkout are.
const resultsFile = "resultados.json"

func readResults(folder string) (*results, error) {
	text, err := os.ReadFile(filepath.Join(folder, resultsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return &results{}, nil
	}
	if err != nil {
		return nil, err
	}
	var r results
	return &r, json.Unmarshal(text, &r)
}

func (r *results) write(folder string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(folder, resultsFile), append(text, '\n'), 0o644),
		os.WriteFile(filepath.Join(folder, "curvas.svg"), []byte(chart(r)), 0o644),
	)
}
