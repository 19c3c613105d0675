package rpc

import (
	"testing"
	"time"
)

func TestInstant(t *testing.T) {
	mexico := time.FixedZone("CST", -6*60*60)
	at := time.Date(2025, 12, 31, 18, 0, 0, 7_654_321, mexico)
	const want = "2026-01-01T00:00:00.007Z"
	if got := Instant(at); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := OptionalInstant(at); got == nil || *got != want {
		t.Errorf("got %v, want %s", got, want)
	}
	if got := OptionalInstant(time.Time{}); got != nil {
		t.Errorf("an instant that has not come: %s", *got)
	}
}

func TestTimestampOf_thereAndBack(t *testing.T) {
	for _, at := range []time.Time{{}, time.Unix(1_700_000_000, 123_456_789)} {
		if got := TimeOf(TimestampOf(at)); !got.Equal(at) {
			t.Errorf("%v became %v", at, got)
		}
	}
	if TimestampOf(time.Time{}) != nil {
		t.Error("an instant that has not come was sent")
	}
}
