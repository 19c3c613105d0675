package harness

import (
	"bufio"
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// Counter reads a metric off an operations port, at ops: the sum of the lines that begin
// with the name, parts[0], and hold all other parts.
func Counter(tb testing.TB, ops string, parts ...string) float64 {
	tb.Helper()
	answer := Call(tb, http.MethodGet, "http://"+ops+"/metrics", nil, nil).Want(tb, http.StatusOK)
	var sum float64
	lines := bufio.NewScanner(bytes.NewReader(answer.Body))
	for lines.Scan() {
		line := lines.Text()
		if !strings.HasPrefix(line, parts[0]) || !containsAll(line, parts[1:]) {
			continue
		}
		value, err := strconv.ParseFloat(line[strings.LastIndexByte(line, ' ')+1:], 64)
		if err != nil {
			tb.Fatalf("metric %s: %v", parts[0], err)
		}
		sum += value
	}
	return sum
}

func containsAll(line string, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(line, part) {
			return false
		}
	}
	return true
}
