package routes

import (
	"slices"
	"testing"
)

func TestIfNoneMatch(t *testing.T) {
	tests := []struct {
		name     string
		values   []string
		known    string
		revision string
		matches  bool
	}{
		{"none", nil, "", "7", false},
		{"weak", []string{`W/"7"`}, "7", "7", true},
		{"strong compares weakly", []string{`"7"`}, "7", "7", true},
		{"another", []string{`W/"6"`}, "6", "7", false},
		{"list", []string{`W/"5", "6" ,W/"7"`}, "5", "7", true},
		{"several headers", []string{`W/"5"`, `W/"7"`}, "5", "7", true},
		{"star", []string{`*`}, "", "7", true},
		{"unquoted is no tag", []string{`7`}, "", "7", false},
		{"half a quote", []string{`"`}, "", "7", false},
		{"empty tag", []string{`""`}, "", "", false},
		{"bytes that are no text", []string{"\"\xe9\""}, "", "7", false},
		{"what is no tag beside one that is", []string{`"ñ", "a"b", W/"7"`}, "7", "7", true},
		{"lower case w is no weak tag", []string{`w/"7"`}, "", "7", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tags, anything := parseIfNoneMatch(tt.values)
			known := append(tags, "")[0]
			matches := anything || slices.Contains(tags, tt.revision)
			if known != tt.known || matches != tt.matches {
				t.Errorf("got %q, %v; want %q, %v", known, matches, tt.known, tt.matches)
			}
		})
	}
}

func TestETag(t *testing.T) {
	tests := []struct{ revision, want string }{
		{"7", `W/"7"`},
		{"0198a1b2-7", `W/"0198a1b2-7"`},
		{"", ""},
		{"a b", ""},
		{`a"b`, ""},
		{"a,b", ""},
		{"a\r\nX: y", ""},
		{"ñ", ""},
	}
	for _, tt := range tests {
		if got := etag(tt.revision); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.revision, got, tt.want)
		}
	}
}
