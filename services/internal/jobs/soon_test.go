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
