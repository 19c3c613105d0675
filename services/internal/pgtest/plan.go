package pgtest

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// Step is a step of a plan, and what it read.
type Step struct {
	Type     string   `json:"Node Type"`
	Relation string   `json:"Relation Name"`
	Index    string   `json:"Index Name"`
	Arbiters []string `json:"Conflict Arbiter Indexes"`
	Rows     float64  `json:"Actual Rows"`
	Loops    float64  `json:"Actual Loops"`
	Removed  float64  `json:"Rows Removed by Filter"`
	Joined   float64  `json:"Rows Removed by Join Filter"`
	Plans    []Step
}

// Read is how many rows the step looked at.
func (s Step) Read() float64 {
	return (s.Rows + s.Removed + s.Joined) * s.Loops
}

func (s Step) all() Plan {
	steps := Plan{s}
	for _, below := range s.Plans {
		steps = append(steps, below.all()...)
	}
	return steps
}

// Plan is all steps of a statement.
type Plan []Step

// Explain runs a statement and gives its plan. One whose first argument is the institution runs
// for it alone, any other one across all of them.
func Explain(tb testing.TB, db *pg.DB, empresa tenant.EmpresaID, statement string, args ...any) Plan {
	tb.Helper()
	run := db.AcrossEmpresas
	if len(args) > 0 && args[0] == string(empresa) {
		run = func(ctx context.Context, fn func(tx pgx.Tx) error) error { return db.InEmpresa(ctx, empresa, fn) }
	}
	var text []byte
	err := run(tb.Context(), func(tx pgx.Tx) error {
		return tx.QueryRow(tb.Context(), `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) `+statement, args...).Scan(&text)
	})
	if err != nil {
		tb.Fatal(err)
	}
	var plans []struct{ Plan Step }
	err = json.Unmarshal(text, &plans)
	if err != nil {
		tb.Fatal(err)
	}
	return plans[0].Plan.all()
}

// Check tells steps that read more rows than most, or all of a table other than the small one,
// and indexes that are not used.
func (p Plan) Check(tb testing.TB, most float64, indexes []string, small string) {
	tb.Helper()
	var used []string
	for _, s := range p {
		used = append(append(used, s.Index), s.Arbiters...)
		if s.Read() > most {
			tb.Errorf("%s %s%s read %.0f rows, more than %.0f", s.Type, s.Relation, s.Index, s.Read(), most)
		}
		if s.Type == "Seq Scan" && s.Relation != small {
			tb.Errorf("all of %s is read", s.Relation)
		}
	}
	for _, index := range indexes {
		if !slices.Contains(used, index) {
			tb.Errorf("%s is not used; %v are", index, used)
		}
	}
}
