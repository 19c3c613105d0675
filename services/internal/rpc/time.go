package rpc

import (
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"
)

// Instant writes an instant as the contract does: RFC 3339, UTC, milliseconds.
func Instant(t time.Time) string {
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

// OptionalInstant is absent for the zero time, an instant that has not come.
func OptionalInstant(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	return new(Instant(t))
}

// TimestampOf is absent for the zero time. Between services an instant keeps its full
// precision.
func TimestampOf(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}

// TimeOf is the reverse of [TimestampOf].
func TimeOf(t *timestamppb.Timestamp) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.AsTime()
}
