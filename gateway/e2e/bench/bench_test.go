package bench

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// options say how much is measured.
type options struct {
	quick, strict, publish bool
	// rounds is how often each side does its thing.
	rounds int
	// records and open cases are what the institution that is measured has.
	records, cases int
	// matches are told in a burst, activations sent.
	matches, activations int
	// window is how long requests are counted.
	window time.Duration
}

var chosen = options{rounds: 5, records: 1_000_000, cases: 100_000, matches: 10_000, activations: 10_000, window: time.Second}

func init() {
	flag.BoolVar(&chosen.quick, "quick", false, "measure less of everything, within three minutes")
	flag.BoolVar(&chosen.strict, "strict", false, "fail if a goal is missed")
	flag.BoolVar(&chosen.publish, "publish", false, "have TestReadme write the table of the last results into README.md")
	flag.IntVar(&chosen.rounds, "rounds", chosen.rounds, "rounds of each measure")
	flag.IntVar(&chosen.records, "records", chosen.records, "records in the table")
	flag.IntVar(&chosen.cases, "cases", chosen.cases, "open cases")
}

// quicker is what quick leaves of everything.
func (o options) quicker() options {
	if o.quick {
		o.rounds, o.records, o.cases, o.matches, o.activations, o.window = 3, 100_000, 10_000, 500, 300, time.Second/3
	}
	return o
}

// BenchmarkEnlace takes the measures and prints the table. A goal that is missed is shown as
// missed, and fails only a strict run: a machine that does other things says little.
func BenchmarkEnlace(b *testing.B) {
	folder := outFolder(b)
	s := startSession(b, folder, chosen.quicker())
	var taken []measure
	for _, m := range measures {
		b.Run(m.name, func(b *testing.B) {
			s.begin(b, m)
			m.take(s)
			taken = append(taken, m)
			err := s.results.write(folder)
			if err != nil {
				b.Fatal(err)
			}
			fmt.Println(s.results.told(m))
		})
	}
	if taken == nil {
		b.Fatal("ONLY names no measure: measures_test.go has their names")
	}
	text, missed := s.results.table(taken)
	fmt.Printf("\n%s\n\n%s\n%d goals missed; figures and curves are in %s\n", s.results.Machine, text, missed, folder)
	if s.options.strict && missed > 0 {
		b.Errorf("%d goals missed", missed)
	}
}

// outFolder is where the results of this checkout are kept.
func outFolder(tb testing.TB) string {
	tb.Helper()
	folder := filepath.Join(root(tb), ".local", "bench")
	err := os.MkdirAll(folder, 0o755)
	if err != nil {
		tb.Fatal(err)
	}
	return folder
}

func root(tb testing.TB) string {
	tb.Helper()
	root, err := harness.Repository()
	if err != nil {
		tb.Fatal(err)
	}
	return root
}
