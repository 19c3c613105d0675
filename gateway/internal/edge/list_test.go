package edge

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

const casosRPC = registrosv1.CasoService_ListCasos_FullMethodName

func casos(from, n int) []*registrosv1.Caso {
	var list []*registrosv1.Caso
	for i := range n {
		list = append(list, &registrosv1.Caso{Id: fmt.Sprint(from + i), Nombre: proto.String("NOMBRE"), Estado: "monitoreo"})
	}
	return list
}

// chunks makes ListCasos send its list in pieces, each piece of the given size.
func (s *services) chunks(sizes ...int) {
	s.on(casosRPC, func(c *call) error {
		sent := 0
		for i, size := range sizes {
			chunk := &registrosv1.ListCasosResponse{Casos: casos(sent, size)}
			if i == 0 {
				chunk.Revision = "rev-7"
			}
			err := c.stream.SendMsg(chunk)
			if err != nil {
				return err
			}
			sent += size
		}
		return nil
	})
}

func TestList_isTheWholeArrayInOrder(t *testing.T) {
	s := newStack(t, nil)
	for name, sizes := range map[string][]int{
		"nothing at all":   nil,
		"no rows":          {0},
		"one":              {1},
		"one chunk":        {500},
		"many chunks":      {500, 500, 500, 1},
		"empty chunks":     {0, 0, 3, 0, 2, 0},
		"one enormous one": {20_000},
	} {
		t.Run(name, func(t *testing.T) {
			s.chunks(sizes...)
			for _, encoding := range []string{"identity", "gzip"} {
				got := s.get("/cliente/casos", "Accept-Encoding", encoding)
				text := string(got.body)
				if encoding == "gzip" {
					text = unpack(t, got.body)
				}
				var list []struct {
					ID     string  `json:"id"`
					Nombre *string `json:"nombre"`
					Cierre *string `json:"cerrado_en"`
				}
				err := json.Unmarshal([]byte(text), &list)
				if err != nil || list == nil {
					t.Fatalf("%s: %v in %.100s", encoding, err, text)
				}
				total := 0
				for _, size := range sizes {
					total += size
				}
				if len(list) != total {
					t.Fatalf("%s: got %d elements, want %d", encoding, len(list), total)
				}
				for i, each := range list {
					if each.ID != fmt.Sprint(i) || each.Nombre == nil || each.Cierre != nil {
						t.Fatalf("%s: element %d is %+v", encoding, i, each)
					}
				}
				checkListHeaders(t, got, len(sizes) > 0)
			}
		})
	}
}

func checkListHeaders(t *testing.T, got *answer, hasRevision bool) {
	t.Helper()
	etag, cache := "", "no-store"
	if hasRevision {
		etag, cache = `W/"rev-7"`, "private, no-cache"
	}
	if got.StatusCode != 200 || got.Header.Get("ETag") != etag || got.Header.Get("Cache-Control") != cache ||
		got.Header.Get("Content-Type") != "application/json" {
		t.Errorf("got %d %v", got.StatusCode, got.Header)
	}
}

func TestList_notModified(t *testing.T) {
	s := newStack(t, nil)
	known := make(chan string, 1)
	s.on(casosRPC, func(c *call) error {
		var request registrosv1.ListCasosRequest
		c.receive(t, &request)
		known <- request.GetRevisionConocida()
		first := &registrosv1.ListCasosResponse{Revision: "rev-7", SinCambios: request.GetRevisionConocida() == "rev-7"}
		if !first.GetSinCambios() {
			first.Casos = casos(0, 1)
		}
		return c.stream.SendMsg(first)
	})
	tests := []struct {
		ifNoneMatch, known string
		status             int
	}{
		{"", "", 200},
		{`W/"rev-7"`, "rev-7", 304},
		{`"rev-7"`, "rev-7", 304},
		{`W/"rev-6"`, "rev-6", 200},
		{`W/"rev-5", W/"rev-7"`, "rev-5", 304},
		{`*`, "", 304},
		{`rev-7`, "", 200},
	}
	for _, tt := range tests {
		for _, method := range []string{"GET", "HEAD"} {
			got := s.send(method, "/cliente/casos", "", "X-API-Key", goodKey, "If-None-Match", tt.ifNoneMatch)
			if asked := <-known; asked != tt.known || got.StatusCode != tt.status {
				t.Errorf("%s with %s: got %d, asked with %q; want %d, %q", method, tt.ifNoneMatch, got.StatusCode, asked, tt.status, tt.known)
			}
			if got.Header.Get("ETag") != `W/"rev-7"` || got.Header.Get("Cache-Control") != "private, no-cache" {
				t.Errorf("%s with %s: %v", method, tt.ifNoneMatch, got.Header)
			}
			if got.StatusCode == 304 && (len(got.body) > 0 || got.Header.Get("Content-Type") != "" || got.Header.Get("Content-Encoding") != "") {
				t.Errorf("304: %q %v", got.body, got.Header)
			}
		}
	}
}

// TestList_startsAtOnce holds the stream open after the first chunk: its bytes must be with
// the client already.
func TestList_startsAtOnce(t *testing.T) {
	s := newStack(t, nil)
	goOn := make(chan struct{})
	s.on(casosRPC, func(c *call) error {
		err := c.stream.SendMsg(&registrosv1.ListCasosResponse{Revision: "7", Casos: casos(0, 1)})
		<-goOn
		return err
	})
	for _, encoding := range []string{"identity", "gzip"} {
		response := s.start("GET", encoding)
		reader := io.Reader(response.Body)
		if encoding == "gzip" {
			unpacked, err := gzip.NewReader(response.Body)
			if err != nil {
				t.Fatal(err)
			}
			reader = unpacked
		}
		beginning := make([]byte, len(`[{"id":"0"`))
		_, err := io.ReadFull(reader, beginning)
		if err != nil || string(beginning) != `[{"id":"0"` {
			t.Errorf("%s: %q, %v", encoding, beginning, err)
		}
		goOn <- struct{}{}
		_, err = io.ReadAll(reader)
		if err != nil {
			t.Errorf("%s: %v", encoding, err)
		}
		_ = response.Body.Close()
	}
}

// start begins a list without reading it.
func (s *stack) start(method, encoding string, headers ...string) *http.Response {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.server.URL+"/cliente/casos", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("X-API-Key", goodKey)
	request.Header.Set("Accept-Encoding", encoding)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := client.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	return response
}

// TestList_headReadsNoMoreThanTheFirstChunk has an endless list.
func TestList_headReadsNoMoreThanTheFirstChunk(t *testing.T) {
	s := newStack(t, nil)
	ended := make(chan error, 1)
	s.on(casosRPC, func(c *call) error {
		for {
			err := c.stream.SendMsg(&registrosv1.ListCasosResponse{Revision: "7", Casos: casos(0, 100)})
			if err != nil {
				ended <- err
				return err
			}
		}
	})
	for range 3 {
		got := s.send("HEAD", "/cliente/casos", "", "X-API-Key", goodKey)
		if got.StatusCode != 200 || got.Header.Get("ETag") != `W/"7"` || len(got.body) > 0 {
			t.Errorf("got %d %v", got.StatusCode, got.Header)
		}
		if err := <-ended; status.Code(err) != codes.Canceled {
			t.Errorf("the stream ended with %v", err)
		}
	}
}

// TestList_memoryDoesNotGrowWithIt looks at the memory when most of a list of some 30 MB has
// gone through and the rest is on its way.
func TestList_memoryDoesNotGrowWithIt(t *testing.T) {
	s := newStack(t, nil)
	chunk := &registrosv1.ListCasosResponse{Revision: "7", Casos: casos(0, 500)}
	s.on(casosRPC, func(c *call) error {
		for range 200 {
			err := c.stream.SendMsg(chunk)
			if err != nil {
				return err
			}
		}
		return nil
	})
	before := heldMemory()
	response := s.start("GET", "identity")
	defer func() { _ = response.Body.Close() }()
	_, err := io.CopyN(io.Discard, response.Body, 20<<20)
	if err != nil {
		t.Fatal(err)
	}
	if grown := heldMemory() - before; grown > 8<<20 {
		t.Errorf("%d bytes are held in the middle of a list", grown)
	}
	rest, err := io.Copy(io.Discard, response.Body)
	if err != nil || rest < 1<<20 {
		t.Errorf("read %d bytes more, %v", rest, err)
	}
}

func heldMemory() int64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
