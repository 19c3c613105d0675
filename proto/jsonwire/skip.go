package jsonwire

import "strconv"

// Valid tells whether body is one JSON value of any kind, and where it stops being so. It
// is for routes that ignore their body.
func Valid(body []byte) error {
	s := newScanner(body)
	err := s.notEmpty()
	if err == nil {
		err = s.skip()
	}
	if err == nil {
		err = s.end()
	}
	if err != nil {
		return err.located()
	}
	return nil
}

// skip consumes one value and checks no more than its syntax.
func (s *scanner) skip() *Error {
	switch s.token() {
	case '"':
		_, err := s.str()
		return err
	case '{':
		return s.skipObject()
	case '[':
		return s.skipArray()
	case 't':
		return s.skipLiteral("true")
	case 'f':
		return s.skipLiteral("false")
	case 'n':
		return s.skipLiteral("null")
	default:
		return s.number()
	}
}

func (s *scanner) skipLiteral(word string) *Error {
	if !s.literal(word) {
		return s.syntax()
	}
	return nil
}

func (s *scanner) skipObject() *Error {
	err := s.enter()
	if err != nil {
		return err
	}
	if s.token() == '}' {
		s.leave()
		return nil
	}
	for {
		if s.token() != '"' {
			return s.syntax()
		}
		name, err := s.str()
		if err != nil {
			return err
		}
		err = s.colon()
		if err == nil {
			err = s.skip()
		}
		if err != nil {
			return err.under(shown(name))
		}
		more, err := s.more('}')
		if !more {
			return err
		}
	}
}

func (s *scanner) skipArray() *Error {
	err := s.enter()
	if err != nil {
		return err
	}
	if s.token() == ']' {
		s.leave()
		return nil
	}
	for i := 0; ; i++ {
		err := s.skip()
		if err != nil {
			return err.under(strconv.Itoa(i))
		}
		more, err := s.more(']')
		if !more {
			return err
		}
	}
}

// more consumes the comma before another member, or the bracket that closes the value.
func (s *scanner) more(closing byte) (bool, *Error) {
	switch s.token() {
	case ',':
		s.pos++
		return true, nil
	case closing:
		s.leave()
		return false, nil
	default:
		return false, s.syntax()
	}
}
