package crash

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Summary is the figures of a run.
type Summary struct {
	Requests, Acknowledged int64
	// Statuses counts the answers by status.
	Statuses string

	rounds, failed, records     int
	expected, told, twice, lost int
	faults                      map[string]int
}

// Add counts a round that has settled.
func (s *Summary) Add(versions []Version, v Verdict, errs []error) {
	s.rounds++
	s.records += len(versions)
	s.expected += v.Expected
	s.told += v.Told
	s.twice += len(v.Twice)
	s.lost += len(v.Lost)
	if len(errs)+len(v.Wrong)+len(v.Lost) > 0 {
		s.failed++
	}
}

// Kills takes the count of each fault, by "<kind> <target>".
func (s *Summary) Kills(counts map[string]int) { s.faults = counts }

// String is a table.
func (s *Summary) String() string {
	var table strings.Builder
	row := func(what string, value any) { fmt.Fprintf(&table, "%-40s %v\n", what, value) }
	row("rounds", s.rounds)
	for _, fault := range slices.Sorted(maps.Keys(s.faults)) {
		row(fault, s.faults[fault])
	}
	row("requests", s.Requests)
	row("acknowledged", s.Acknowledged)
	row("answers by status (0: none)", s.Statuses)
	row("contents of records", s.records)
	row("that must be told", s.expected)
	row("told", s.told)
	row("told twice, explained", s.twice)
	row("lost", s.lost)
	row("rounds that failed", s.failed)
	return table.String()
}
