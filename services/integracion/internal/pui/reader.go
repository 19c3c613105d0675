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

// reader finds the elements of a list in a stream, and holds no more than one of them. It
// looks at no more than it must to tell where each ends; whether one is JSON is for its
// reader to find out.
type reader struct {
	in      *bufio.Reader
	element []byte
}

func newReader(in io.Reader) *reader {
	return &reader{in: bufio.NewReader(in)}
}

// list gives each element in turn; of one that is longer than maxElemento its beginning. Without
// an error the list was whole, to the end of the stream.
func (r *reader) list(each func(element []byte) error) error {
	first, err := r.next()
	switch {
	case err != nil:
		return err
	case first == '[':
		err = r.array(each)
	case first == '{':
		err = r.wrapped(each, maxEnvoltura)
	default:
		err = errIlegible
	}
	if err != nil {
		return err
	}
	_, err = r.next()
	if err == nil {
		return errIlegible
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// array reads on behind the opening bracket.
func (r *reader) array(each func([]byte) error) error {
	c, err := r.next()
	if err != nil || c == ']' {
		return err
	}
	for {
		err = r.value(c)
		if err != nil {
			return err
		}
		err = each(r.element)
		if err != nil {
			return err
		}
		c, err = r.next()
		if err != nil || c == ']' {
			return err
		}
		if c != ',' {
			return errIlegible
		}
		c, err = r.next()
		if err != nil {
			return err
		}
	}
}

// wrapped finds the one array below `data` or `reportes` of an object, behind its opening
// brace (pui.md 1.4). With two it cannot be told which is the list.
func (r *reader) wrapped(each func([]byte) error, depth int) error {
	lists := 0
	for {
		name, err := r.name()
		if err != nil {
			return err
		}
		c, err := r.next()
		if err != nil {
			return err
		}
		inside := name == "data" || name == "reportes"
		switch {
		case inside && c == '[' && lists == 0:
			lists++
			err = r.array(each)
		case inside && c == '{' && lists == 0 && depth > 1:
			lists++
			err = r.wrapped(each, depth-1)
		case inside && (c == '[' || c == '{'):
			err = errIlegible
		default:
			err = r.value(c)
		}
		if err != nil {
			return err
		}
		c, err = r.next()
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
func (r *reader) name() (string, error) {
	c, err := r.next()
	if err != nil {
		return "", err
	}
	if c != '"' {
		return "", errIlegible
	}
	err = r.value(c)
	if err != nil {
		return "", err
	}
	var name string
	// A name that is no text is none of those looked for.
	_ = json.Unmarshal(r.element, &name)
	c, err = r.next()
	if err == nil && c != ':' {
		err = errIlegible
	}
	return name, err
}

// value reads a value that begins with c.
func (r *reader) value(c byte) error {
	r.element = r.element[:0]
	r.keep(c)
	switch c {
	case '"':
		return r.text()
	case '{', '[':
		return r.nested()
	case ',', ':', ']', '}':
		return errIlegible
	default:
		return r.scalar()
	}
}

// nested reads on to the end of an object or array.
func (r *reader) nested() error {
	for depth := 1; depth > 0; {
		c, err := r.read()
		if err != nil {
			return err
		}
		switch c {
		case '"':
			err = r.text()
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
func (r *reader) text() error {
	for {
		c, err := r.read()
		if err != nil || c == '"' {
			return err
		}
		if c == '\\' {
			_, err = r.read()
			if err != nil {
				return err
			}
		}
	}
}

// scalar reads a number or a word, and leaves what follows.
func (r *reader) scalar() error {
	for {
		following, err := r.in.Peek(1)
		if err != nil {
			return unexpected(err)
		}
		if strings.IndexByte(" \t\r\n,:]}", following[0]) >= 0 {
			return nil
		}
		_, err = r.read()
		if err != nil {
			return err
		}
	}
}

// next passes over white space.
func (r *reader) next() (byte, error) {
	for {
		c, err := r.in.ReadByte()
		if err != nil {
			return 0, unexpected(err)
		}
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c, nil
		}
	}
}

func (r *reader) read() (byte, error) {
	c, err := r.in.ReadByte()
	if err != nil {
		return 0, unexpected(err)
	}
	r.keep(c)
	return c, nil
}

func (r *reader) keep(c byte) {
	if len(r.element) < maxElemento {
		r.element = append(r.element, c)
	}
}

// unexpected keeps the end of the stream from looking like the end of the list.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
