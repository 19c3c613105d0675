package edge

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

// TestList_thatFailsInTheMiddleIsCut must never look whole, packed or not, however far it
// got.
func TestList_thatFailsInTheMiddleIsCut(t *testing.T) {
	for _, good := range []int{0, 1, 2000} {
		for _, encoding := range []string{"identity", "gzip"} {
			t.Run(fmt.Sprintf("%d rows, %s", good, encoding), func(t *testing.T) {
				s := newStack(t, nil)
				s.on(casosRPC, func(c *call) error {
					err := c.stream.SendMsg(&registrosv1.ListCasosResponse{Revision: "7", Casos: casos(0, good)})
					if err != nil {
						return err
					}
					return status.Error(codes.Internal, "PERSONAL DATA")
				})
				response := s.start("GET", encoding)
				content, err := io.ReadAll(response.Body)
				_ = response.Body.Close()
				if err == nil {
					t.Errorf("read %d bytes to a proper end: %.80q", len(content), content)
				}
				if strings.Contains(string(content), "PERSONAL") {
					t.Error("the error shows")
				}
				if line := s.log.wait(t, `"aborted"`); !strings.Contains(line, `"aborted":"Internal"`) || strings.Contains(line, "PERSONAL") {
					t.Errorf("got %s", line)
				}
			})
		}
	}
}

func TestList_thatFailsAtFirstIsAnOrdinaryRefusal(t *testing.T) {
	s := newStack(t, nil)
	s.fail(casosRPC, refusal(codes.PermissionDenied, "SIN_PERMISO", "No."))
	got := s.get("/cliente/casos", "Accept-Encoding", "identity")
	wantRefusal(t, got, 403, "sin_permiso")
	if got.Header.Get("ETag") != "" || got.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("got %v", got.Header)
	}
}

func TestList_whoseFirstChunkDoesNotCome(t *testing.T) {
	s := newStack(t, func(cfg *Config) { cfg.Timeout = 50 * time.Millisecond })
	s.on(casosRPC, func(c *call) error {
		<-c.stream.Context().Done()
		return c.stream.Context().Err()
	})
	wantRefusal(t, s.get("/cliente/casos"), 504, "tiempo_agotado")
}

// TestList_takesLongerThanAnOrdinaryRequest proves that the limit on the first chunk is not
// one on the list.
func TestList_takesLongerThanAnOrdinaryRequest(t *testing.T) {
	s := newStack(t, func(cfg *Config) { cfg.Timeout, cfg.TimeoutClient = time.Second, time.Second })
	s.on(casosRPC, func(c *call) error {
		err := c.stream.SendMsg(&registrosv1.ListCasosResponse{Casos: casos(0, 1)})
		select {
		case <-c.stream.Context().Done():
			return c.stream.Context().Err()
		case <-time.After(1500 * time.Millisecond):
			return err
		}
	})
	if got := s.get("/cliente/casos"); got.StatusCode != 200 || !json.Valid(got.body) {
		t.Errorf("got %d %s", got.StatusCode, got.body)
	}
}

// TestList_aReaderThatStopsIsCut lets an endless list run against a full socket.
func TestList_aReaderThatStopsIsCut(t *testing.T) {
	s := newStack(t, func(cfg *Config) { cfg.TimeoutClient = time.Second })
	ended := make(chan error, 1)
	s.on(casosRPC, func(c *call) error {
		for {
			err := c.stream.SendMsg(&registrosv1.ListCasosResponse{Revision: "7", Casos: casos(0, 500)})
			if err != nil {
				ended <- err
				return err
			}
		}
	})
	response := s.start("GET", "identity")
	defer func() { _ = response.Body.Close() }()
	select {
	case err := <-ended:
		if status.Code(err) != codes.Canceled {
			t.Errorf("the stream ended with %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the list goes on for a reader that has stopped")
	}
	s.log.wait(t, `"aborted"`)
}

func TestList_aClientThatLeavesEndsTheStream(t *testing.T) {
	s := newStack(t, nil)
	ended := make(chan error, 1)
	s.on(casosRPC, func(c *call) error {
		err := c.stream.SendMsg(&registrosv1.ListCasosResponse{Casos: casos(0, 1)})
		if err != nil {
			return err
		}
		<-c.stream.Context().Done()
		ended <- c.stream.Context().Err()
		return c.stream.Context().Err()
	})
	response := s.start("GET", "identity")
	_, err := bufio.NewReader(response.Body).ReadByte()
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if err := <-ended; err == nil {
		t.Error("the service was not told")
	}
}
