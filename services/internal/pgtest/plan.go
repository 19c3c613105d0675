package pgtest

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

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
	// Tasks is to how many parts of a cluster it goes, if it goes to the workers.
	Tasks int `json:"Task Count"`
}

// Read is how many rows the step looked at.
func (s Step) Read() float64 {
	return (s.Rows + s.Removed + s.Joined) * s.Loops
}

// Plan is all steps of a statement, those on workers too.
type Plan []Step

// ofPart is what Citus adds to the names of a part of a table.
var ofPart = regexp.MustCompile(`_[0-9]{6,}"`)

// Explain runs a statement and gives its plan. One whose first argument is the institution runs
// for it alone, and in a cluster on one worker; any other one across all of them.
func Explain(tb testing.TB, db *pg.DB, empresa tenant.EmpresaID, statement string, args ...any) Plan {
	tb.Helper()
	alone := len(args) > 0 && args[0] == string(empresa)
	run := db.AcrossEmpresas
	if alone {
		run = func(ctx context.Context, fn func(tx pgx.Tx) error) error { return db.InEmpresa(ctx, empresa, fn) }
	}
	plan := explain(tb, run, `ANALYZE, TIMING OFF, `, statement, args)
	for _, s := range plan {
		if alone && s.Tasks > 1 {
			tb.Errorf("what is of one institution goes to %d parts of the cluster", s.Tasks)
		}
	}
	return plan
}

// WantIndexes plans statements that look rows up by their keys, on tables that may be empty, and tells of
// those that read a table along an index that is not among those named for it.
func WantIndexes(tb testing.TB, db *pg.DB, empresa tenant.EmpresaID, indexes map[string][]string, statement string, args ...any) {
	tb.Helper()
	run := func(ctx context.Context, fn func(tx pgx.Tx) error) error { return db.InEmpresaByKeys(ctx, empresa, fn) }
	read := map[string]bool{}
	for _, s := range explain(tb, run, ``, statement, args) {
		want, named := indexes[s.Relation]
		if !named {
			continue
		}
		read[s.Relation] = true
		if strings.HasSuffix(s.Type, "Scan") && !slices.Contains(want, s.Index) {
			tb.Errorf("%s of %s %s, want one of %s", s.Type, s.Relation, s.Index, want)
		}
	}
	if len(read) < len(indexes) {
		tb.Errorf("only %v are read, want %v", read, indexes)
	}
}

// WantOneWorker plans a statement of an institution in a cluster, where it has to go to one worker.
// It does not run it: Citus explains no run of an INSERT that selects what it returns, and dies of some.
// A plan does not tell all of whom Citus asks: see WantWithoutOthers.
func WantOneWorker(tb testing.TB, db *pg.DB, empresa tenant.EmpresaID, statement string, args ...any) {
	tb.Helper()
	run := func(ctx context.Context, fn func(tx pgx.Tx) error) error { return db.InEmpresa(ctx, empresa, fn) }
	var tasks []int
	for _, s := range explain(tb, run, ``, statement, args) {
		if s.Tasks > 0 {
			tasks = append(tasks, s.Tasks)
		}
	}
	if len(tasks) == 0 || slices.Max(tasks) > 1 {
		tb.Errorf("it goes to %v parts of the cluster, want one: %s", tasks, statement)
	}
}

// integrityViolation is the class of what constraints refuse.
const integrityViolation = "23"

// errUndo ends a transaction that is to leave nothing.
var errUndo = errors.New("undo")

// WantWithoutOthers runs a statement of an institution while the other workers are away, see
// [Database.LoseOthers], and undoes it. If a constraint refuses it, its own worker was asked.
func WantWithoutOthers(tb testing.TB, db *pg.DB, empresa tenant.EmpresaID, statement string, args ...any) {
	tb.Helper()
	err := db.InEmpresa(tb.Context(), empresa, func(tx pgx.Tx) error {
		_, err := tx.Exec(tb.Context(), statement, args...)
		if err != nil {
			return err
		}
		return errUndo
	})
	refused, asked := errors.AsType[*pgconn.PgError](err)
	if !errors.Is(err, errUndo) && !(asked && strings.HasPrefix(refused.Code, integrityViolation)) {
		tb.Errorf("while another worker is away: %v: %s", err, statement)
	}
}

func explain(tb testing.TB, run func(context.Context, func(pgx.Tx) error) error, how, statement string, args []any) (plan Plan) {
	tb.Helper()
	var text []byte
	err := run(tb.Context(), func(tx pgx.Tx) error {
		return tx.QueryRow(tb.Context(), `EXPLAIN (`+how+`FORMAT JSON) `+statement, args...).Scan(&text)
	})
	if err != nil {
		tb.Fatalf("%v: %s", err, statement)
	}
	plan.collect(tb, ofPart.ReplaceAll(text, []byte(`"`)))
	return plan
}

// collect reads the steps at any depth of a plan: below a step of Citus they lie in its tasks.
func (p *Plan) collect(tb testing.TB, text json.RawMessage) {
	tb.Helper()
	var list []json.RawMessage
	var object map[string]json.RawMessage
	switch text[0] {
	case '[':
		unmarshal(tb, text, &list)
	case '{':
		unmarshal(tb, text, &object)
		if object["Node Type"] != nil || object["Task Count"] != nil {
			var s Step
			unmarshal(tb, text, &s)
			*p = append(*p, s)
		}
	}
	for _, below := range slices.AppendSeq(list, maps.Values(object)) {
		p.collect(tb, below)
	}
}

func unmarshal(tb testing.TB, text []byte, target any) {
	tb.Helper()
	err := json.Unmarshal(text, target)
	if err != nil {
		tb.Fatal(err)
	}
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
