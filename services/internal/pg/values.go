package pg

import (
	"time"

	"github.com/google/uuid"

	"github.com/enlace-iis/enlace/services/internal/manual"
)

// NewID makes a version 7 UUID: ids made later by this process sort later.
func NewID() uuid.UUID {
	return uuid.Must(uuid.NewV7()) // fails only if the system has no randomness
}

// Value reads a column that may be NULL, which gives the zero value.
func Value[T any](column *T) T {
	if column == nil {
		var zero T
		return zero
	}
	return *column
}

// NullTime writes the zero time as NULL.
func NullTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// Date writes a day, and as NULL one that is not given.
func Date(f manual.Fecha) *time.Time {
	return NullTime(f.Time())
}

// Fecha reads a day; NULL is one that is not given.
func Fecha(column *time.Time) manual.Fecha {
	return manual.FechaUTC(Value(column))
}
