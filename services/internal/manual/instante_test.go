package manual

import "testing"

func TestParseInstante(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"2026-11-21T12:00:00Z": true, "2026-11-21T12:00:00.123456789-06:00": true, "9999-12-31T23:59:59Z": true,
		"": false, "2026-11-21": false, "2026-11-21T12:00:00": false, "2026-11-21T1:00:00Z": false,
		"2026-11-21T12:00:00,5Z": false, "2026-11-21T12:00:00+24:00": false, "2026-11-21T12:00:00+00:60": false,
		"2026-02-30T12:00:00Z": false, "2026-11-21t12:00:00z": false, "2026-11-21T12:00:00Z ": false,
		"9999-12-31T23:59:59-01:00": false, "0000-12-31T00:00:00Z": false,
	} {
		_, ok := ParseInstante(text)
		if ok != want {
			t.Errorf("%q: %v, want %v", text, ok, want)
		}
	}
}
