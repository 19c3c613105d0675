package crash

import (
	"errors"
	"strings"
	"testing"
)

func TestSummary_countsRoundsThatFailed(t *testing.T) {
	s := &Summary{Requests: 70, Acknowledged: 60}
	good := Verdict{Expected: 3, Told: 4, Twice: []string{"a"}}
	for _, tt := range []struct {
		verdict Verdict
		errs    []error
	}{
		{verdict: good},
		{verdict: Verdict{Lost: []string{"x", "y"}}},
		{verdict: Verdict{Wrong: []string{"x"}}},
		{verdict: good, errs: []error{errors.New("x")}},
	} {
		s.Add(make([]Version, 5), tt.verdict, tt.errs)
	}
	s.Kills(map[string]int{"kill gateway": 2})
	got := strings.Join(strings.Fields(s.String()), " ")
	for _, want := range []string{
		"rounds 4", "kill gateway 2", "requests 70", "acknowledged 60", "contents of records 20", "that must be told 6",
		"told 8", "told twice, explained 2", "lost 2", "rounds that failed 3",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the summary has no %q: %s", want, got)
		}
	}
}
