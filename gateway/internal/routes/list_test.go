package routes

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/proto/jsonwire"
)

// pieces notes how much is written at a time.
type pieces struct {
	*httptest.ResponseRecorder
	largest, total int
}

func (p *pieces) Write(piece []byte) (int, error) {
	p.largest = max(p.largest, len(piece))
	p.total += len(piece)
	return len(piece), nil
}

// A list that nobody reads holds one chunk of rows and not their JSON, however many they are.
func TestListWriter_gathersNoMoreThanAPiece(t *testing.T) {
	chunk := &registrosv1.ListCasosResponse{Casos: make([]*registrosv1.Caso, 10_000)}
	for i := range chunk.Casos {
		chunk.Casos[i] = &registrosv1.Caso{}
	}
	elements, err := jsonwire.NewStream(chunk, "casos")
	if err != nil {
		t.Fatal(err)
	}
	text, err := proto.Marshal(chunk)
	if err != nil {
		t.Fatal(err)
	}
	written := &pieces{ResponseRecorder: httptest.NewRecorder()}
	out := listWriter{w: written, controller: http.NewResponseController(written), timeout: time.Minute}
	err = out.add(elements, text)
	if err != nil {
		t.Fatal(err)
	}
	const row = 1 << 10
	if written.total < 10*flushSize || written.largest > flushSize+row || cap(out.pending) > 4*flushSize {
		t.Errorf("wrote %d bytes, at most %d at once, out of a buffer of %d", written.total, written.largest, cap(out.pending))
	}
}
