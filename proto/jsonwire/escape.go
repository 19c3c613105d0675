package jsonwire

import "unicode/utf8"

const hexDigits = "0123456789abcdef"

// AppendText writes a JSON string. Besides what JSON demands it escapes U+2028 and U+2029,
// which end a line in JavaScript, and replaces bytes that are not UTF-8.
func AppendText(dst []byte, text string) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if isPlain[c] {
				i++
				continue
			}
			dst = append(dst, text[from:i]...)
			dst = appendEscape(dst, c)
			i++
			from = i
			continue
		}
		char, size := utf8.DecodeRuneInString(text[i:])
		if char == '\u2028' || char == '\u2029' || char == utf8.RuneError && size == 1 {
			dst = append(dst, text[from:i]...)
			dst = append(dst, '\\', 'u', hexDigits[char>>12&15], hexDigits[char>>8&15], hexDigits[char>>4&15], hexDigits[char&15])
			from = i + size
		}
		i += size
	}
	dst = append(dst, text[from:]...)
	return append(dst, '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	default:
		return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
	}
}

// isPlain tells the ASCII characters that stand for themselves. DEL is allowed by JSON but
// escaped: nobody can see it.
var isPlain = func() (plain [utf8.RuneSelf]bool) {
	for c := ' '; c < 0x7f; c++ {
		plain[c] = c != '"' && c != '\\'
	}
	return plain
}()
