package edge

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

// BenchmarkPing is the smallest request, over HTTP, the edge and gRPC in memory.
func BenchmarkPing(b *testing.B) {
	s := newStack(b, func(cfg *Config) { cfg.RateLimit = 1 << 20 })
	s.everyRPC()
	b.ReportAllocs()
	for b.Loop() {
		benchSend(b, s, "POST", "/cliente/sandbox/ping", nil, "identity")
	}
}

// BenchmarkLote is a batch of some 2.3 MB.
func BenchmarkLote(b *testing.B) {
	s := newStack(b, nil)
	s.everyRPC()
	body := []byte("[" + strings.Repeat(recordLikeText, 5000) + "{}]")
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		benchSend(b, s, "POST", "/cliente/registros/lote", body, "identity")
	}
}

// BenchmarkList is 100 000 Casos.
func BenchmarkList(b *testing.B) {
	chunk := &registrosv1.ListCasosResponse{Revision: "7", Casos: casos(0, 500)}
	for _, encoding := range []string{"identity", "gzip"} {
		b.Run(encoding, func(b *testing.B) {
			s := newStack(b, nil)
			s.on(casosRPC, func(c *call) error {
				for range 200 {
					err := c.stream.SendMsg(chunk)
					if err != nil {
						return err
					}
				}
				return nil
			})
			b.ReportAllocs()
			for b.Loop() {
				benchSend(b, s, "GET", "/cliente/casos", nil, encoding)
			}
		})
	}
}

func benchSend(b *testing.B, s *stack, method, path string, body []byte, encoding string) {
	request, err := http.NewRequestWithContext(b.Context(), method, s.server.URL+path, bytes.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("X-API-Key", goodKey)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept-Encoding", encoding)
	response, err := client.Do(request)
	if err != nil {
		b.Fatal(err)
	}
	_, err = io.Copy(io.Discard, response.Body)
	_ = response.Body.Close()
	if err != nil || response.StatusCode != http.StatusOK {
		b.Fatal(response.Status, err)
	}
}
