package jsonwire

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
	"unsafe"
)

// maxDepth is how deep values may nest. The deepest documented shape has four levels; the
// rest is room for what platform routes ignore.
const maxDepth = 32

// maxDepthOfIgnored is how deep a value may nest that costs only its record.
const maxDepthOfIgnored = 10_000

// A scanner walks over the tokens of one body. It never goes back.
//
// The texts that it gives share the memory of the body, so the body must not change while
// a message that was read from it lives.
type scanner struct {
	body  []byte
	text  string // the same memory
	pos   int
	depth int

	// lax is set inside a record: what is no Unicode there is passed over, and garbled says so.
	lax, garbled bool
}

func newScanner(body []byte) scanner {
	return scanner{body: body, text: unsafe.String(unsafe.SliceData(body), len(body))}
}

// token skips white space and gives the byte that starts the next token without consuming
// it, or 0 at the end of the body.
func (s *scanner) token() byte {
	for s.pos < len(s.body) {
		c := s.body[s.pos]
		switch c {
		case ' ', '\n', '\t', '\r':
			s.pos++
		default:
			return c
		}
	}
	return 0
}

// notEmpty checks that anything at all comes.
func (s *scanner) notEmpty() *Error {
	s.token()
	if s.pos == len(s.body) {
		return s.fail(CodigoVacio, mensajeVacio)
	}
	return nil
}

// end checks that nothing but white space follows.
func (s *scanner) end() *Error {
	s.token()
	if s.pos < len(s.body) {
		return s.fail(CodigoDatosSobrantes, mensajeDatosSobrantes)
	}
	return nil
}

// enter notes that an object or array has been opened.
func (s *scanner) enter() *Error {
	deepest := maxDepth
	if s.lax {
		deepest = maxDepthOfIgnored
	}
	if s.depth >= deepest {
		return s.fail(CodigoProfundidad, mensajeProfundidad)
	}
	s.depth++
	s.pos++
	return nil
}

// leave notes that it has been closed.
func (s *scanner) leave() {
	s.depth--
	s.pos++
}

// colon consumes the colon between a name and its value.
func (s *scanner) colon() *Error {
	if s.token() != ':' {
		return s.syntax()
	}
	s.pos++
	return nil
}

func (s *scanner) literal(word string) bool {
	if len(s.text)-s.pos < len(word) || s.text[s.pos:s.pos+len(word)] != word {
		return false
	}
	s.pos += len(word)
	return true
}

// str consumes the string that starts at pos, whose opening quote the caller has seen.
func (s *scanner) str() (string, *Error) {
	from := s.pos + 1
	to, err := s.run(from)
	if err != nil {
		return "", err
	}
	if s.body[to] == '\\' {
		return s.unescape(from, to)
	}
	s.pos = to + 1
	return s.text[from:to], nil
}

const (
	everyByte      = 0x0101010101010101
	everyHighBit   = 0x80 * everyByte
	everyQuote     = '"' * everyByte
	everyBackslash = '\\' * everyByte
	everySpace     = ' ' * everyByte
)

// run goes over the plain characters of a string, eight at a time, and gives the position
// of the quote or backslash that ends them.
func (s *scanner) run(from int) (int, *Error) {
	var high uint64
	i := from
	for ; i+8 <= len(s.body); i += 8 {
		word := binary.LittleEndian.Uint64(s.body[i:])
		quote, backslash := word^everyQuote, word^everyBackslash
		// In each of the three terms the lowest byte with its high bit set is exact.
		stop := ((quote-everyByte)&^quote | (backslash-everyByte)&^backslash | (word-everySpace)&^word) & everyHighBit
		if stop != 0 {
			before := stop&-stop - 1
			high |= word & before
			i += bits.TrailingZeros64(stop) / 8
			return i, s.checkRun(from, i, high)
		}
		high |= word
	}
	for ; i < len(s.body); i++ {
		c := s.body[i]
		if c == '"' || c == '\\' || c < ' ' {
			break
		}
		high |= uint64(c)
	}
	return i, s.checkRun(from, i, high)
}

// checkRun refuses a run that ends neither in a quote nor in a backslash, and one that is
// not UTF-8. high has bit 7 of some byte set if the run is not plain ASCII.
func (s *scanner) checkRun(from, to int, high uint64) *Error {
	if high&everyHighBit != 0 && !utf8.ValidString(s.text[from:to]) {
		s.garbled = s.lax
		if !s.lax {
			s.pos = from + firstInvalid(s.text[from:to])
			return s.fail(CodigoUTF8, mensajeUTF8)
		}
	}
	if to == len(s.body) || s.body[to] < ' ' {
		s.pos = to
		return s.syntax()
	}
	return nil
}

func firstInvalid(text string) int {
	for i, r := range text {
		if r != utf8.RuneError {
			continue
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		if size == 1 {
			return i
		}
	}
	return len(text)
}

// integer consumes a JSON number without fraction or exponent and gives its digits.
func (s *scanner) integer() (string, *Error) {
	from := s.pos
	err := s.number()
	if err != nil {
		return "", err
	}
	digits := s.text[from:s.pos]
	for i := range len(digits) {
		if c := digits[i]; c != '-' && (c < '0' || c > '9') {
			s.pos = from
			return "", s.fail(CodigoTipo, mensajeEntero)
		}
	}
	return digits, nil
}

// number consumes a number as RFC 8259 section 6 writes it.
func (s *scanner) number() *Error {
	if s.peek() == '-' {
		s.pos++
	}
	if s.peek() == '0' {
		s.pos++
	} else if !s.digits() {
		return s.syntax()
	}
	if s.peek() == '.' {
		s.pos++
		if !s.digits() {
			return s.syntax()
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.pos++
		if c := s.peek(); c == '+' || c == '-' {
			s.pos++
		}
		if !s.digits() {
			return s.syntax()
		}
	}
	return nil
}

func (s *scanner) digits() bool {
	from := s.pos
	for c := s.peek(); '0' <= c && c <= '9'; c = s.peek() {
		s.pos++
	}
	return s.pos > from
}

func (s *scanner) peek() byte {
	if s.pos == len(s.body) {
		return 0
	}
	return s.body[s.pos]
}

// fail makes an error at the current position.
func (s *scanner) fail(codigo, mensaje string) *Error {
	return &Error{Codigo: codigo, Mensaje: mensaje, Byte: int64(s.pos)}
}

// syntax is the error for a byte that JSON does not allow here, or for none at all.
func (s *scanner) syntax() *Error {
	if s.pos >= len(s.body) {
		s.pos = len(s.body)
		return s.fail(CodigoSintaxis, mensajeIncompleto)
	}
	return s.fail(CodigoSintaxis, mensajeSintaxis)
}
