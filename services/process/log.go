package process

import (
	"io"
	"log/slog"
	"strings"
)

// NewLogger writes one JSON object a line, each with the program's name. An unknown level
// means info. What is logged carries ids, never personal data, and never credentials.
func NewLogger(w io.Writer, service, level string) *slog.Logger {
	handler := slog.NewJSONHandler(w, &slog.HandlerOptions{Level: parseLevel(level)})
	return slog.New(handler).With("service", service)
}

func parseLevel(level string) slog.Level {
	var parsed slog.Level
	err := parsed.UnmarshalText([]byte(strings.TrimSpace(level)))
	if err != nil {
		return slog.LevelInfo
	}
	return parsed
}
