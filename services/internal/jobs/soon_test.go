package jobs

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/riverqueue/river/rivertype"
)

func TestDueSoon_leavesToTheLeaderWhatIsFarOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for in, want := range map[time.Duration]rivertype.JobState{
			-time.Second: rivertype.JobStateAvailable, soon - 1: rivertype.JobStateAvailable, soon: rivertype.JobStateScheduled,
		} {
			due := time.Now().Add(in)
			job := &rivertype.JobInsertParams{State: rivertype.JobStateScheduled, ScheduledAt: &due}
			err := dueSoon(t.Context(), job)
			if err != nil || job.State != want {
				t.Errorf("due in %v: %s, %v", in, job.State, err)
			}
		}
	})
}

func TestGathered_isNeverEarlierAndSoonTheSame(t *testing.T) {
	first := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	for after, want := range map[time.Duration]time.Duration{0: 0, 1: gather, gather - 1: gather, gather: gather, gather + 1: 2 * gather} {
		if got := Gathered(first.Add(after)).Sub(first); got != want {
			t.Errorf("after %v: %v, want %v", after, got, want)
		}
	}
}
