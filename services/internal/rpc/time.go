package rpc

import (
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"
)

// Instant writes an instant as the contract does: RFC 3339, UTC, milliseconds.
func Instant(t time.Time) string {
	// Package time has a fast way for the layout without milliseconds alone.
	text := t.UTC().AppendFormat(make([]byte, 0, len("2006-01-02T15:04:05.000Z")), time.RFC3339)
	millis := t.Nanosecond() / int(time.Millisecond)
	return string(append(text[:len(text)-1], '.', digit(millis/100), digit(millis/10), digit(millis), 'Z'))
}

// digit is the last one of a number.
func digit(n int) byte {
	return '0' + byte(n%10)
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
