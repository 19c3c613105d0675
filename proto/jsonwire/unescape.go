package jsonwire

import (
	"unicode/utf16"
	"unicode/utf8"
)

// unescape reads on in a string that has an escape: plain until to, where the first
// backslash stands. Only such strings are copied.
func (s *scanner) unescape(from, to int) (string, *Error) {
	decoded := make([]byte, 0, 2*(to-from)+16)
	for {
		decoded = append(decoded, s.body[from:to]...)
		if s.body[to] == '"' {
			s.pos = to + 1
			return string(decoded), nil
		}
		s.pos = to
		char, err := s.escape()
		if err != nil {
			return "", err
		}
		decoded = utf8.AppendRune(decoded, char)
		from = s.pos
		to, err = s.run(from)
		if err != nil {
			return "", err
		}
	}
}

// escape consumes one escape, backslash included.
func (s *scanner) escape() (rune, *Error) {
	start := s.pos
	s.pos++
	c := s.peek()
	if c == 'u' {
		return s.unicode(start)
	}
	char, ok := simpleEscape(c)
	if !ok {
		return 0, s.syntax()
	}
	s.pos++
	return char, nil
}

func simpleEscape(c byte) (rune, bool) {
	switch c {
	case '"', '\\', '/':
		return rune(c), true
	case 'b':
		return '\b', true
	case 'f':
		return '\f', true
	case 'n':
		return '\n', true
	case 'r':
		return '\r', true
	case 't':
		return '\t', true
	}
	return 0, false
}

// unicode consumes a \u escape, and the second one when the first is half of a pair. A half
// alone is no character (RFC 8259 section 8.2).
func (s *scanner) unicode(start int) (rune, *Error) {
	char, err := s.hex4()
	if err != nil || !utf16.IsSurrogate(char) {
		return char, err
	}
	if s.peek() != '\\' || s.pos+1 >= len(s.body) || s.body[s.pos+1] != 'u' {
		return s.half(start)
	}
	s.pos++
	second, err := s.hex4()
	if err != nil {
		return 0, err
	}
	pair := utf16.DecodeRune(char, second)
	if pair == utf8.RuneError {
		return s.half(start)
	}
	return pair, nil
}

// half refuses a half of a pair, at its backslash; inside a record it is passed over.
func (s *scanner) half(start int) (rune, *Error) {
	if s.lax {
		s.garbled = true
		return utf8.RuneError, nil
	}
	s.pos = start
	return 0, s.fail(CodigoUTF8, mensajeSustituto)
}

// hex4 consumes "u" and four hexadecimal digits.
func (s *scanner) hex4() (rune, *Error) {
	s.pos++
	var char rune
	for range 4 {
		c := s.peek()
		switch {
		case '0' <= c && c <= '9':
			char = char<<4 | rune(c-'0')
		case 'a' <= c && c <= 'f':
			char = char<<4 | rune(c-'a'+10)
		case 'A' <= c && c <= 'F':
			char = char<<4 | rune(c-'A'+10)
		default:
			return 0, s.syntax()
		}
		s.pos++
	}
	return char, nil
}
