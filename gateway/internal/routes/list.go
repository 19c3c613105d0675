package routes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/enlace-iis/enlace/proto/jsonwire"
)

// A list serves one streaming RPC as a JSON array (contract.md 4.3): the answer starts with
// the first chunk, memory does not grow with the list, and a failure after the start cuts
// the connection, so that a short array never looks whole.
//
// Each response of the stream is a chunk in one repeated field. If the list has a revision,
// the request carries revision_conocida, and the first response revision and sin_cambios.
type list struct {
	stream
	revision *revisionFields // nil for a list without
	elements jsonwire.Stream
}

func newList(s stream) (*list, error) {
	elements, err := jsonwire.NewStream(s.response.New().Interface(), s.route.responseBody)
	if err != nil {
		return nil, err
	}
	return &list{stream: s, revision: revisionFieldsOf(s.route.descriptor), elements: elements}, nil
}

// revisionFields are where a list tells whether it has changed.
type revisionFields struct {
	known   protoreflect.FieldDescriptor // request.revision_conocida
	current protoreflect.FieldDescriptor // response.revision
	same    protoreflect.FieldDescriptor // response.sin_cambios
}

func revisionFieldsOf(method protoreflect.MethodDescriptor) *revisionFields {
	fields := &revisionFields{
		known:   method.Input().Fields().ByName("revision_conocida"),
		current: method.Output().Fields().ByName("revision"),
		same:    method.Output().Fields().ByName("sin_cambios"),
	}
	if fields.known == nil || fields.current == nil || fields.same == nil {
		return nil
	}
	return fields
}

// flushSize is how much is gathered before it is written.
const flushSize = 32 << 10

func (l *list) serve(w http.ResponseWriter, r *http.Request, call *Call, request proto.Message) error {
	ctx, cancel := context.WithCancelCause(r.Context())
	// However this ends, and for HEAD after the first message, the service stops reading.
	defer cancel(nil)

	wanted := parseIfNoneMatch(r.Header.Values("If-None-Match"))
	if l.revision != nil {
		request.ProtoReflect().Set(l.revision.known, protoreflect.ValueOfString(wanted.known()))
	}
	var chunk encoded
	stream, ended, err := l.begin(ctx, cancel, call, request, &chunk)
	if err != nil {
		return err
	}
	same := false
	if !ended {
		same, err = l.notModified(w.Header(), chunk, wanted)
	}
	if err != nil {
		return err
	}
	if same {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	if call.Head {
		// As for GET, so that the headers are the same.
		_ = http.NewResponseController(w).Flush()
		return nil
	}
	l.write(w, call, stream, chunk, ended)
	return nil
}

// notModified sets the validator of a list that has a revision, and tells whether the
// client has that one already.
func (l *list) notModified(header http.Header, chunk encoded, wanted validator) (bool, error) {
	if l.revision == nil {
		return false, nil
	}
	first := l.response.New()
	err := proto.Unmarshal(chunk, first.Interface())
	if err != nil {
		return false, fmt.Errorf("read revision: %w", err)
	}
	revision := first.Get(l.revision.current).String()
	header.Set("Cache-Control", "private, no-cache")
	if tag := etag(revision); tag != "" {
		header.Set("ETag", tag)
	}
	return first.Get(l.revision.same).Bool() || wanted.matches(revision), nil
}

// write sends the array. The first chunk leaves at once, what follows by size.
func (l *list) write(w http.ResponseWriter, call *Call, stream grpc.ClientStream, chunk encoded, ended bool) {
	buffer := buffers.Get().(*[]byte)
	defer recycle(buffer)
	out := listWriter{w: w, controller: http.NewResponseController(w), timeout: l.cfg.WriteTimeout, pending: append((*buffer)[:0], '[')}
	for first := true; !ended; first = false {
		call.abortOn(out.add(l.elements, chunk))
		if first {
			call.abortOn(out.send(true))
		}
		err := stream.RecvMsg(&chunk)
		ended = errors.Is(err, io.EOF)
		if !ended {
			call.abortOn(err)
		}
	}
	out.pending = append(out.pending, ']')
	call.abortOn(out.send(false))
	*buffer = out.pending
}

// abortOn cuts the connection if err is not nil: the status has been sent, and a cut
// answer is the only way left to say that the list is not whole.
func (c *Call) abortOn(err error) {
	if err == nil {
		return
	}
	c.Aborted = err
	panic(http.ErrAbortHandler)
}

// A listWriter writes pieces, each within its own time.
type listWriter struct {
	w          http.ResponseWriter
	controller *http.ResponseController
	timeout    time.Duration

	pending   []byte
	following bool // an element has gone before
}

// add writes the elements of a chunk as they fill the buffer: a reader that stops holds no
// more than that beside the chunk.
func (o *listWriter) add(list jsonwire.Stream, chunk []byte) error {
	for element, err := range list.Elements(chunk) {
		if o.following {
			o.pending = append(o.pending, ',')
		}
		if err == nil {
			o.pending, err = list.Append(o.pending, element)
		}
		if err == nil && len(o.pending) >= flushSize {
			err = o.send(false)
		}
		if err != nil {
			return err
		}
		o.following = true
	}
	return nil
}

func (o *listWriter) send(flush bool) error {
	err := o.controller.SetWriteDeadline(time.Now().Add(o.timeout))
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("extend write deadline: %w", err)
	}
	_, err = o.w.Write(o.pending)
	if err != nil {
		return fmt.Errorf("write list: %w", err)
	}
	o.pending = o.pending[:0]
	if !flush {
		return nil
	}
	err = o.controller.Flush()
	if err != nil {
		return fmt.Errorf("flush list: %w", err)
	}
	return nil
}

var buffers = sync.Pool{New: func() any {
	fresh := make([]byte, 0, flushSize+flushSize/4)
	return &fresh
}}

// recycle keeps a buffer for the next list, unless one large element blew it up.
func recycle(buffer *[]byte) {
	if cap(*buffer) <= 4*flushSize {
		buffers.Put(buffer)
	}
}
