package manual

import (
	"testing"
	"unicode/utf8"
)

func TestAppendFolded(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"":                  "",
		"Ñandú ÜBER":        "nandu uber",
		"SI\u0301FILIS":     "sifilis",
		"ＶＩＨ\u200b-1":       "vih-1",
		"Ângström naïve 5½": "angstrom naive 51⁄2",
		"日本":                "日本",
	} {
		got := string(AppendFolded(nil, s))
		if got != want {
			t.Errorf("%q is folded to %q, want %q", s, got, want)
		}
	}
}

func FuzzAppendFolded(f *testing.F) {
	f.Add("Ñandú")
	f.Add("İstanbul ſß")
	f.Fuzz(func(t *testing.T, s string) {
		once := AppendFolded(nil, s)
		if utf8.ValidString(s) && !utf8.Valid(once) {
			t.Errorf("%q is folded to broken text", s)
		}
	})
}
