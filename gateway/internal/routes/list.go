package routes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"github.com/grpc-ecosystem/grpc-gateway/v2/utilities"
	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	protobuf "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/enlace-iis/enlace/proto/jsonwire"
)

// StreamConfig bounds the routes that stream.
type StreamConfig struct {
	// FirstChunkTimeout bounds the wait for the first message.
	FirstChunkTimeout time.Duration
	// WriteTimeout bounds one write: a reader that stops reading is cut.
	WriteTimeout time.Duration
}

// A stream serves one streaming RPC as a JSON array (contract.md 4.3) or as a file. The generated
// handler would put each message on a line of its own, in an envelope. The answer starts with the
// first message, memory does not grow with it, and a failure after the start cuts the connection, so
// that half an answer never looks whole.
//
// Each response of a list is a chunk in one repeated field. If the list has a revision, the request
// carries revision_conocida, and the first response is a [revised]. Each response of a file is a [piece].
type stream struct {
	mux               *runtime.ServeMux
	route             *Route
	conn              *grpc.ClientConn
	cfg               StreamConfig
	request, response protoreflect.MessageType
	elements          jsonwire.Stream              // of a list
	known             protoreflect.FieldDescriptor // request.revision_conocida; nil for a list without
}

type revised interface {
	GetRevision() string
	GetSinCambios() bool
}

type piece interface {
	GetTipo() string
	GetNombre() string
	GetContenido() []byte
}

func newStream(mux *runtime.ServeMux, route *Route, conn *grpc.ClientConn, cfg StreamConfig) (s *stream, err error) {
	s = &stream{mux: mux, route: route, conn: conn, cfg: cfg}
	s.request, err = protoregistry.GlobalTypes.FindMessageByName(route.descriptor.Input().FullName())
	if err != nil {
		return nil, fmt.Errorf("find request: %w", err)
	}
	s.response, err = protoregistry.GlobalTypes.FindMessageByName(route.descriptor.Output().FullName())
	if err != nil {
		return nil, fmt.Errorf("find response: %w", err)
	}
	message := s.response.New().Interface()
	if route.File {
		if _, ok := message.(piece); !ok {
			return nil, errors.New("a file needs the fields tipo, nombre and contenido")
		}
		return s, nil
	}
	if _, ok := message.(revised); ok {
		s.known = route.descriptor.Input().Fields().ByName("revision_conocida")
	}
	s.elements, err = jsonwire.NewStream(message, route.responseBody)
	return s, err
}

// serve does what a generated handler does: metadata, request, call, answer.
func (s *stream) serve(w http.ResponseWriter, r *http.Request, parameters map[string]string) {
	in, out := runtime.MarshalerForRequest(s.mux, r)
	ctx, err := runtime.AnnotateContext(r.Context(), s.mux, r, s.route.RPC, runtime.WithHTTPPathPattern(s.route.Pattern))
	if err != nil {
		ctx = r.Context()
	}
	call := r.Body.(*Call)
	var request proto.Message
	if err == nil {
		request, err = s.read(in, call, r.URL, parameters)
	}
	if err == nil {
		// However this ends, and for HEAD after the first message, the service stops reading.
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		if s.route.File {
			err = s.serveFile(ctx, cancel, w, call, request)
		} else {
			err = s.serveList(ctx, cancel, w, call, request, r.Header.Values("If-None-Match"))
		}
	}
	if err != nil {
		runtime.HTTPError(ctx, s.mux, out, w, r, err)
	}
}

// read makes the request of the body, the path and the query.
func (s *stream) read(in runtime.Marshaler, call *Call, address *url.URL, parameters map[string]string) (proto.Message, error) {
	request := s.request.New().Interface()
	if s.route.Body != NoBody {
		err := in.NewDecoder(call).Decode(request)
		if err != nil {
			return nil, err
		}
	}
	for name, value := range parameters {
		err := runtime.PopulateFieldFromPath(request, name, value)
		if err != nil {
			return nil, err
		}
	}
	if address.RawQuery == "" {
		return request, nil
	}
	return request, runtime.PopulateQueryParameters(request, address.Query(), utilities.NewDoubleArray(nil))
}

func (s *stream) serveList(ctx context.Context, cancel context.CancelCauseFunc, w http.ResponseWriter, call *Call, request proto.Message, seen []string) error {
	tags, anything := parseIfNoneMatch(seen)
	if s.known != nil && len(tags) > 0 {
		// Of several the service can compare but one; below are the others.
		request.ProtoReflect().Set(s.known, protoreflect.ValueOfString(tags[0]))
	}
	var chunk encoded
	messages, ended, err := s.begin(ctx, cancel, call, request, &chunk)
	if err != nil {
		return err
	}
	if s.known != nil && !ended {
		first := s.response.New().Interface()
		err = proto.Unmarshal(chunk, first)
		if err != nil {
			return fmt.Errorf("read revision: %w", err)
		}
		revision := first.(revised).GetRevision()
		w.Header().Set("Cache-Control", "private, no-cache")
		if tag := etag(revision); tag != "" {
			w.Header().Set("ETag", tag)
		}
		if first.(revised).GetSinCambios() || anything || slices.Contains(tags, revision) {
			w.WriteHeader(http.StatusNotModified)
			return nil
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	if call.Head {
		// As for GET, so that the headers are the same.
		_ = http.NewResponseController(w).Flush()
		return nil
	}
	buffer := buffers.Get().(*[]byte)
	defer recycle(buffer)
	out := listWriter{w: w, controller: http.NewResponseController(w), timeout: s.cfg.WriteTimeout, pending: append((*buffer)[:0], '[')}
	// The first chunk leaves at once, what follows by size.
	for first := true; !ended; first = false {
		call.abortOn(out.add(s.elements, chunk))
		if first {
			call.abortOn(out.send(true))
		}
		ended = call.receive(messages, &chunk)
	}
	out.pending = append(out.pending, ']')
	call.abortOn(out.send(false))
	*buffer = out.pending
	return nil
}

func (s *stream) serveFile(ctx context.Context, cancel context.CancelCauseFunc, w http.ResponseWriter, call *Call, request proto.Message) error {
	message := s.response.New().Interface()
	messages, ended, err := s.begin(ctx, cancel, call, request, message)
	if err != nil {
		return err
	}
	sent := message.(piece)
	w.Header().Set("Content-Type", mime.FormatMediaType(sent.GetTipo(), map[string]string{"charset": "utf-8"}))
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": sent.GetNombre()}))
	w.WriteHeader(http.StatusOK)
	if call.Head {
		_ = http.NewResponseController(w).Flush()
		return nil
	}
	out := listWriter{w: w, controller: http.NewResponseController(w), timeout: s.cfg.WriteTimeout}
	for !ended {
		out.pending = sent.GetContenido()
		call.abortOn(out.send(true))
		ended = call.receive(messages, message)
	}
	return nil
}

// errNoFirstChunk cancels a stream whose first message does not come.
var errNoFirstChunk = errors.New("no first chunk in time")

// begin calls the RPC and waits for its first message, which it reads into first; ended reports
// that there is none.
func (s *stream) begin(ctx context.Context, cancel context.CancelCauseFunc, call *Call, request proto.Message, first any) (messages grpc.ClientStream, ended bool, err error) {
	timer := time.AfterFunc(s.cfg.FirstChunkTimeout, func() { cancel(errNoFirstChunk) })
	defer timer.Stop()
	messages, err = s.conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, s.route.RPC, grpc.ForceCodecV2(encodedCodec{encoding.GetCodecV2(protobuf.Name)}))
	if err == nil {
		err = messages.SendMsg(request)
		if err == nil {
			err = messages.CloseSend()
		}
		// A failed send is told by what RecvMsg returns.
		if err == nil || errors.Is(err, io.EOF) {
			err = messages.RecvMsg(first)
		}
	}
	ended = errors.Is(err, io.EOF)
	switch {
	case errors.Is(context.Cause(ctx), errNoFirstChunk):
		return nil, false, ErrTimedOut
	case err != nil && !ended:
		return nil, false, err
	}
	timer.Stop()
	if call.Begin != nil {
		err = call.Begin(ctx)
		if err != nil {
			return nil, false, err
		}
	}
	return messages, ended, nil
}

// encoded takes a message as it came: a list writes rows as JSON without decoding them first.
// Receiving the next message into it uses its memory again.
type encoded []byte

// encodedCodec is protobuf that leaves encoded as it is.
type encodedCodec struct {
	encoding.CodecV2
}

func (c encodedCodec) Unmarshal(data mem.BufferSlice, message any) error {
	kept, ok := message.(*encoded)
	if !ok {
		return c.CodecV2.Unmarshal(data, message)
	}
	*kept = (*kept)[:0]
	for _, piece := range data {
		*kept = append(*kept, piece.ReadOnlyData()...)
	}
	return nil
}

// abortOn cuts the connection if err is not nil: the status has been sent, and a cut
// answer is the only way left to say that it is not whole.
func (c *Call) abortOn(err error) {
	if err != nil {
		c.Aborted = err
		panic(http.ErrAbortHandler)
	}
}

// receive reads the next message, and reports whether there was none.
func (c *Call) receive(messages grpc.ClientStream, into any) (ended bool) {
	err := messages.RecvMsg(into)
	if errors.Is(err, io.EOF) {
		return true
	}
	c.abortOn(err)
	return false
}

// flushSize is how much is gathered before it is written.
const flushSize = 32 << 10

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
	if err == nil && flush {
		err = o.controller.Flush()
	}
	if err != nil {
		return fmt.Errorf("write list: %w", err)
	}
	o.pending = o.pending[:0]
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

// A tag may be one of our revisions if it is of the characters that gRPC carries and a list of tags
// does not divide at.
var (
	revisionTag = regexp.MustCompile(`^[!#-+\--~]+$`)
	entityTag   = regexp.MustCompile(`^(?:W/)?"([!#-+\--~]+)"$`)
)

// parseIfNoneMatch reads what a client says it already has (RFC 9110, section 13.1.2): entity tags,
// without quotes and W/, or anything. What is no tag of ours is passed over: then the list is sent in
// full, which is never wrong, and no service is told what gRPC cannot carry.
func parseIfNoneMatch(values []string) (tags []string, anything bool) {
	for part := range strings.SplitSeq(strings.Join(values, ","), ",") {
		part = strings.TrimSpace(part)
		anything = anything || part == "*"
		if tag := entityTag.FindStringSubmatch(part); tag != nil {
			tags = append(tags, tag[1])
		}
	}
	return tags, anything
}

// etag is the entity tag of a revision: weak, since the same rows may be compressed or not.
// A revision that cannot stand between quotes has none.
func etag(revision string) string {
	if !revisionTag.MatchString(revision) {
		return ""
	}
	return `W/"` + revision + `"`
}
