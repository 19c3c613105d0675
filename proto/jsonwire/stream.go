package jsonwire

import (
	"fmt"
	"iter"
	"strconv"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// A Stream writes a list that arrives in chunks, each chunk an encoded message with the elements in
// one repeated field. They go from the one form into the other without becoming messages, which
// would cost twice as much. The caller writes the brackets and the commas.
type Stream struct {
	field *field
}

// NewStream prepares to write the elements that chunks of m's type carry in a field.
func NewStream(m proto.Message, fieldName string) (Stream, error) {
	p, err := planOf(m)
	if err != nil {
		return Stream{}, err
	}
	f := p.byName[fieldName]
	if f == nil || !f.list || f.kind != kindMessage {
		return Stream{}, fmt.Errorf("stream %s: no list of messages %q", p.name, fieldName)
	}
	return Stream{field: f}, nil
}

// Elements gives the elements of one chunk, encoded, until one cannot be read.
func (s Stream) Elements(chunk []byte) iter.Seq2[[]byte, error] {
	return elementsOf(s.field, chunk)
}

// Append writes one of them onto dst, as [Append] would.
func (s Stream) Append(dst, element []byte) ([]byte, error) {
	return appendEncoded(dst, s.field.message, element)
}

func elementsOf(f *field, message []byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for len(message) > 0 {
			tag, content, size := consume(message)
			if size < 0 {
				yield(nil, protowire.ParseError(size))
				return
			}
			message = message[size:]
			if tag == f.tag && !yield(content, nil) {
				return
			}
		}
	}
}

// consume reads the field with which a message begins, and gives its tag, its content and how long
// it is with both; a negative length is an error.
func consume(message []byte) (tag uint64, content []byte, size int) {
	if tag, content, size = consumeShort(message); size > 0 {
		return tag, content, size
	}
	number, kind, before := protowire.ConsumeTag(message)
	if before < 0 {
		return 0, nil, before
	}
	message = message[before:]
	if kind == protowire.BytesType {
		content, size = protowire.ConsumeBytes(message)
	} else if size = protowire.ConsumeFieldValue(number, kind, message); size >= 0 {
		content = message[:size]
	}
	if size < 0 {
		return 0, nil, size
	}
	return protowire.EncodeTag(number, kind), content, before + size
}

// consumeShort reads nearly every field: a text or message whose tag and length take a byte each. Its
// size is 0 where it is another.
func consumeShort(message []byte) (tag uint64, content []byte, size int) {
	if len(message) < shortHeader || message[0]&7 != byte(protowire.BytesType) || message[0] < 8 || message[0]|message[1] >= 0x80 {
		return 0, nil, 0
	}
	size = shortHeader + int(message[1])
	if size > len(message) {
		return 0, nil, 0
	}
	return uint64(message[0]), message[shortHeader:size:size], size
}

// shortHeader is the tag and the length of such a field.
const shortHeader = 2

// appendEncoded writes an encoded message.
func appendEncoded(dst []byte, p *plan, message []byte) ([]byte, error) {
	var contents [maxFields][]byte
	err := p.find(message, &contents)
	dst = append(dst, '{')
	for i := 0; i < len(p.fields) && err == nil; i++ {
		f := &p.fields[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, f.quoted...)
		if f.list {
			dst, err = appendEncodedList(dst, f, message)
		} else {
			dst, err = appendContent(dst, f, contents[i])
		}
	}
	return append(dst, '}'), err
}

// find gives what each field of an encoded message has, which may stand there in any order.
func (p *plan) find(message []byte, contents *[maxFields][]byte) error {
	for len(message) > 0 {
		tag, content, size := consume(message)
		if size < 0 {
			return protowire.ParseError(size)
		}
		f := p.tagged(tag)
		if f != nil {
			contents[f.ordinal] = content
		}
		message = message[size:]
	}
	return nil
}

// appendContent writes what a field has; nil is absent.
func appendContent(dst []byte, f *field, content []byte) ([]byte, error) {
	if content == nil && (f.optional || f.kind == kindMessage) {
		return append(dst, "null"...), nil
	}
	switch f.kind {
	case kindMessage:
		return appendEncoded(dst, f.message, content)
	case kindText:
		// Read here and not kept, so the text may share the memory.
		return AppendText(dst, unsafe.String(unsafe.SliceData(content), len(content))), nil
	}
	number, _ := protowire.ConsumeVarint(content) // of nothing it is 0
	if f.kind == kindBool {
		return strconv.AppendBool(dst, number != 0), nil
	}
	return strconv.AppendInt(dst, int64(number), 10), nil
}

func appendEncodedList(dst []byte, f *field, message []byte) ([]byte, error) {
	dst = append(dst, '[')
	following := false
	for content, err := range elementsOf(f, message) {
		if following {
			dst = append(dst, ',')
		}
		if err == nil {
			dst, err = appendContent(dst, f, content)
		}
		if err != nil {
			return dst, err
		}
		following = true
	}
	return append(dst, ']'), nil
}
