package pui

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

const (
	// maxElemento bounds what is held of one element of a list; one of §7.4 has some 500
	// bytes.
	maxElemento = 64 << 10
	// maxEnvoltura is how many objects a list may be wrapped in.
	maxEnvoltura = 2
)

// errIlegible is for an answer that is not the documented array, or breaks off.
var errIlegible = errors.New("read list of the platform: it is not a whole array")

// lector finds the elements of a list in a stream, and holds no more than one of them. It
// looks at no more than it must to tell where each ends; whether one is JSON is for its
// reader to find out.
type lector struct {
	in      *bufio.Reader
	element []byte
	whole   bool // the element is no longer than maxElemento
}

func newLector(in io.Reader) *lector {
	return &lector{in: bufio.NewReader(in)}
}

// list gives each element in turn; nil for one that is too long. Without an error the list
// was whole, to the end of the stream.
func (l *lector) list(each func(element []byte) error) error {
	first, err := l.next()
	switch {
	case err != nil:
		return err
	case first == '[':
		err = l.array(each)
	case first == '{':
		err = l.wrapped(each, maxEnvoltura)
	default:
		err = errIlegible
	}
	if err != nil {
		return err
	}
	_, err = l.next()
	if err == nil {
		return errIlegible
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// array reads on behind the opening bracket.
func (l *lector) array(each func([]byte) error) error {
	c, err := l.next()
	if err != nil || c == ']' {
		return err
	}
	for {
		err = l.value(c)
		if err != nil {
			return err
		}
		err = each(l.given())
		if err != nil {
			return err
		}
		c, err = l.next()
		if err != nil || c == ']' {
			return err
		}
		if c != ',' {
			return errIlegible
		}
		c, err = l.next()
		if err != nil {
			return err
		}
	}
}

// wrapped finds the one array below `data` or `reportes` of an object, behind its opening
// brace (pui.md 1.4). With two it cannot be told which is the list.
func (l *lector) wrapped(each func([]byte) error, depth int) error {
	lists := 0
	for {
		name, err := l.name()
		if err != nil {
			return err
		}
		c, err := l.next()
		if err != nil {
			return err
		}
		inside := name == "data" || name == "reportes"
		switch {
		case inside && c == '[' && lists == 0:
			lists++
			err = l.array(each)
		case inside && c == '{' && lists == 0 && depth > 1:
			lists++
			err = l.wrapped(each, depth-1)
		case inside && (c == '[' || c == '{'):
			err = errIlegible
		default:
			err = l.value(c)
		}
		if err != nil {
			return err
		}
		c, err = l.next()
		switch {
		case err != nil:
			return err
		case c == '}' && lists == 1:
			return nil
		case c != ',':
			return errIlegible
		}
	}
}

// name reads the name of a member and the colon.
func (l *lector) name() (string, error) {
	c, err := l.next()
	if err != nil {
		return "", err
	}
	if c != '"' {
		return "", errIlegible
	}
	err = l.value(c)
	if err != nil {
		return "", err
	}
	var name string
	// A name that is no text is none of those looked for.
	_ = json.Unmarshal(l.given(), &name)
	c, err = l.next()
	if err == nil && c != ':' {
		err = errIlegible
	}
	return name, err
}

// value reads a value that begins with c.
func (l *lector) value(c byte) error {
	l.element, l.whole = l.element[:0], true
	l.keep(c)
	switch c {
	case '"':
		return l.text()
	case '{', '[':
		return l.nested()
	case ',', ':', ']', '}':
		return errIlegible
	default:
		return l.scalar()
	}
}

// nested reads on to the end of an object or array.
func (l *lector) nested() error {
	for depth := 1; depth > 0; {
		c, err := l.read()
		if err != nil {
			return err
		}
		switch c {
		case '"':
			err = l.text()
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// text reads on behind the opening quote.
func (l *lector) text() error {
	for {
		c, err := l.read()
		if err != nil || c == '"' {
			return err
		}
		if c == '\\' {
			_, err = l.read()
			if err != nil {
				return err
			}
		}
	}
}

// scalar reads a number or a word, and leaves what follows.
func (l *lector) scalar() error {
	for {
		following, err := l.in.Peek(1)
		if err != nil {
			return unexpected(err)
		}
		if strings.IndexByte(" \t\r\n,:]}", following[0]) >= 0 {
			return nil
		}
		_, err = l.read()
		if err != nil {
			return err
		}
	}
}

// next passes over white space.
func (l *lector) next() (byte, error) {
	for {
		c, err := l.in.ReadByte()
		if err != nil {
			return 0, unexpected(err)
		}
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c, nil
		}
	}
}

func (l *lector) read() (byte, error) {
	c, err := l.in.ReadByte()
	if err != nil {
		return 0, unexpected(err)
	}
	l.keep(c)
	return c, nil
}

func (l *lector) keep(c byte) {
	if len(l.element) == maxElemento {
		l.whole = false
		return
	}
	l.element = append(l.element, c)
}

// given is the element that was read; nil if it was too long.
func (l *lector) given() []byte {
	if !l.whole {
		return nil
	}
	return l.element
}

// unexpected keeps the end of the stream from looking like the end of the list.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
