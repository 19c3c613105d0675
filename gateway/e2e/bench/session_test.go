package bench

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/deploy/local/pgcluster"
	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// session is a run of measures on one system.
type session struct {
	tb      testing.TB // of the measure that is taken
	options options
	results *results
	measure measure

	system *harness.System
	// empresa is who is measured, listed who has long lists.
	empresa, listed *harness.Institucion
	ours, peer      *caller
	// admin is the superuser's connection with the database of registros, peerAdmin with the
	// peer's: to fill tables, and for the floors.
	admin, peerAdmin *pgx.Conn
	postmaster       int
	// numbers counts the records that were made, records and cases those that are in the tables.
	numbers, records, cases int
	// reported counts the reports that the platform sent.
	reported int
}

// startSession builds the programs and starts a system of its own that keeps what it
// acknowledged, with the peer on the same PostgreSQL.
func startSession(b *testing.B, folder string, o options) *session {
	b.Helper()
	s := &session{tb: b, options: o}
	load := loadAverage()
	s.system = startSystem(b, folder)
	s.empresa, s.listed = s.system.NewInstitucion(b), s.system.NewInstitucion(b)
	s.admin = connect(b, s.system.AdminURL(stack.Postgres, stack.Registros))
	var backend int
	err := s.admin.QueryRow(b.Context(), "SELECT pg_backend_pid()").Scan(&backend)
	if err != nil {
		b.Fatal(err)
	}
	s.postmaster = harness.Parent(b, backend)
	s.ours = newCaller(b, s.empresa.BaseURL, apiKey, s.empresa.ApiKey)
	s.startPeer(b)
	s.wantSameWork()
	m := s.describeMachine()
	s.results, err = readResults(folder)
	if err != nil {
		b.Fatal(err)
	}
	if s.results.Machine != m {
		s.results = &results{Machine: m}
	}
	s.results.Load = max(s.results.Load, load)
	return s
}

func startSystem(b *testing.B, folder string) *harness.System {
	b.Helper()
	binDir, dir := filepath.Join(folder, "bin"), filepath.Join(folder, "run")
	err := harness.Build(binDir)
	if err != nil {
		b.Fatal(err)
	}
	// What a run that was killed left there.
	discard(b, dir)
	// One institution sends what is measured, and is not to be held to its share.
	started, err := harness.StartDurable(binDir, dir, map[string]string{"EMPRESA_MAX_BATCHES": "1000"})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		err := started.Stop(context.Background())
		if err != nil {
			b.Error(err)
		}
		discard(b, dir)
	})
	return started
}

// discard deletes what a system left, its data too, which may lie elsewhere.
func discard(b *testing.B, dir string) {
	b.Helper()
	err := pgcluster.Remove(context.Background(), filepath.Join(dir, stack.PostgresFolder))
	if err == nil {
		err = os.RemoveAll(dir)
	}
	if err != nil {
		b.Error(err)
	}
}

// begin turns to a measure.
func (s *session) begin(tb testing.TB, m measure) {
	s.tb, s.measure = tb, m
	s.ours.tb, s.peer.tb = tb, tb
	s.results.forget(m.name)
}

// note keeps a sample of a case.
func (s *session) note(name, column string, sample float64) {
	for _, c := range s.results.of(s.measure.name) {
		if c.Case == name {
			c.Columns[column] = append(c.Columns[column], sample)
			return
		}
	}
	s.results.Cells = append(s.results.Cells, &cell{
		Measure: s.measure.name, Case: name, Taken: time.Now().UTC().Truncate(time.Second),
		Columns: map[string][]float64{column: {sample}},
	})
}

// fresh makes records that nobody has sent.
func (s *session) fresh(n int, wide bool) []registro {
	s.numbers += n
	return newRegistros(s.numbers-n, n, wide)
}

func connect(b *testing.B, url string) *pgx.Conn {
	b.Helper()
	conn, err := pgx.Connect(b.Context(), url)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}
