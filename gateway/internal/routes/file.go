package routes

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// A file serves one streaming RPC as a file of text to keep. As with a list memory does not grow with
// it, and a failure after the start cuts the connection, so that half a file never looks whole.
//
// Each response is a piece of it; the first one tells tipo and nombre.
type file struct {
	stream
	content, tipo, nombre protoreflect.FieldDescriptor
}

func newFile(s stream) (*file, error) {
	fields := s.response.Descriptor().Fields()
	f := &file{
		stream:  s,
		content: fields.ByName(protoreflect.Name(s.route.responseBody)),
		tipo:    fields.ByName("tipo"), nombre: fields.ByName("nombre"),
	}
	if f.tipo == nil || f.nombre == nil {
		return nil, errors.New("a file needs the fields tipo and nombre")
	}
	return f, nil
}

func (f *file) serve(w http.ResponseWriter, r *http.Request, call *Call, request proto.Message) error {
	ctx, cancel := context.WithCancelCause(r.Context())
	// However this ends, and for HEAD after the first message, the service stops reading.
	defer cancel(nil)
	piece := f.response.New().Interface()
	messages, ended, err := f.begin(ctx, cancel, call, request, piece)
	if err != nil {
		return err
	}
	first := piece.ProtoReflect()
	w.Header().Set("Content-Type", mime.FormatMediaType(first.Get(f.tipo).String(), map[string]string{"charset": "utf-8"}))
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": first.Get(f.nombre).String()}))
	w.WriteHeader(http.StatusOK)
	if call.Head {
		_ = http.NewResponseController(w).Flush()
		return nil
	}
	f.write(w, call, messages, piece, ended)
	return nil
}

// write sends the pieces as they come.
func (f *file) write(w http.ResponseWriter, call *Call, messages grpc.ClientStream, piece proto.Message, ended bool) {
	out := listWriter{w: w, controller: http.NewResponseController(w), timeout: f.cfg.WriteTimeout}
	for !ended {
		out.pending = piece.ProtoReflect().Get(f.content).Bytes()
		call.abortOn(out.send(true))
		err := messages.RecvMsg(piece)
		ended = errors.Is(err, io.EOF)
		if !ended {
			call.abortOn(err)
		}
	}
}
