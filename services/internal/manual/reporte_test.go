package manual

import (
	"strings"
	"testing"
)

const uuid4 = "550e8400-e29b-41d4-a716-446655440000"

func TestIsSearchID(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"A1B2C3D4E5F6-" + uuid4,
		"A1B2C3D4E5F6-" + strings.ToUpper(uuid4),
		"f47ac10b-58cc-4372-a567-0e02b2c3d479-" + uuid4, // a FUB with hyphens, 73 characters
		"g7b5-" + uuid4,
		strings.Repeat("F", 38) + "-" + uuid4, // 75 characters
		uuid4,
		"A1B2C3D4E5F6-550e8400-e29b-11d4-a716-446655440000", // version 1
		"A1B2C3D4E5F6-018f8400-e29b-71d4-a716-446655440000", // version 7
		"A1B2C3D4E5F6-550e8400-e29b-41d4-c716-446655440000", // another variant
		"A1B2_C3/D4.E5:F6+'()[]{}|~-" + uuid4, "!#$&*,;=?@^`\\-" + uuid4,
		"-" + uuid4, // a FUB of no characters
	} {
		if !IsSearchID(s) {
			t.Errorf("IsSearchID(%q) = false", s)
		}
	}
	for _, s := range []string{
		"", "A1B2C3D4", "TEST-002-A1B2C3D4E5F6-550e8400-e29b-41d4",
		strings.Repeat("F", 39) + "-" + uuid4,               // 76 characters
		"A1B2C3D4E5F6" + uuid4,                              // no hyphen before the UUID
		"A1B2C3D4E5F6-550e8400xe29b-41d4-a716-446655440000", // a letter for a hyphen
		"A1B2C3D4E5F6-550e8400-e29b-41d4-a716-44665544000g", // not hexadecimal
		" A1B2-" + uuid4, uuid4 + "-", uuid4 + " ",          // other ends
		"A B-" + uuid4, "A<-" + uuid4, "A>-" + uuid4, `A"-` + uuid4, "A%-" + uuid4, // signs that no FUB has
		"Ñ-" + uuid4, "A\t-" + uuid4, "A\x7f-" + uuid4, "A\x00-" + uuid4,
	} {
		if IsSearchID(s) {
			t.Errorf("IsSearchID(%q) = true", s)
		}
	}
}

func TestIsInstitucionID(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"AAA1": true, "XAXX010101000": true, "AAA010101AAA": true, "AAA": false, "XAXX0101010000": false,
		"aaa010101aaa": false, "A&A010101AAA": false, "ÑAA010101AAA": false, "": false,
	} {
		if got := IsInstitucionID(s); got != want {
			t.Errorf("IsInstitucionID(%q) = %v", s, got)
		}
	}
}

func TestIsClave(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"Abcdefghijklmn1!", "ABCDEFGHIJKLMNOPQR1.", "Ab1!@#$%^&*()-_.+xyz", "0000000000000A0+",
	} {
		if !IsClave(s) {
			t.Errorf("IsClave(%q) = false", s)
		}
	}
	for name, s := range map[string]string{
		"15 characters":      "Abcdefghijklm1!",
		"21 characters":      "ABCDEFGHIJKLMNOPQRS1!",
		"no capital":         "abcdefghijklmn1!",
		"no digit":           "Abcdefghijklmno!",
		"no sign":            "Abcdefghijklmno1",
		"sign outside":       "Abcdefghijklmn1!/",
		"space":              "Abcdefghijkl n1!",
		"outside ASCII":      "Abcdefghijklñ1!",
		"control characters": "Abcdefghijklmn1!\x00",
	} {
		if IsClave(s) {
			t.Errorf("%s: IsClave = true", name)
		}
	}
}

func TestIsRFC(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"AAA010101AAA", "XAXX010101000", "XEXX010101000", "Ñ&A010101AAA", "ÑÑÑÑ000229AB1", "AAA991231Z9A",
	} {
		if !IsRFC(s) {
			t.Errorf("IsRFC(%q) = false", s)
		}
	}
	for _, s := range []string{
		"", "AAA010101AA", "XAXX0101010000", "aaa010101aaa", "AA1010101AAA", "AAA011301AAA", "AAA010132AAA", "AAA010001AAA",
		"AAA0101010&A", "AAA01010Ñ1AA", "AAA-010101AA", "AAAA010101AA", "AAA 10101AAA", "AAAx10101AAA", "AAA010101AA\xff",
	} {
		if IsRFC(s) {
			t.Errorf("IsRFC(%q) = true", s)
		}
	}
}
