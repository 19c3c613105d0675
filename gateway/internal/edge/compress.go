package edge

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// compress gzips the answers of clients that accept it. Level 1 of this library costs less
// than a microsecond for a small answer, so size does not matter.
func (e *Edge) compress(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Accept-Encoding")
		c := &compressor{ResponseWriter: w, accepted: acceptsGzip(r.Header.Values("Accept-Encoding"))}
		defer c.release()
		// Not deferred: after a panic the stream must stay without its end.
		next.ServeHTTP(c, r)
		c.finish()
	})
}

// A compressor holds the status back until the first byte, when it is known whether there
// is anything to compress.
type compressor struct {
	http.ResponseWriter

	accepted bool
	status   int
	begun    bool
	gzip     *gzip.Writer
}

func (c *compressor) WriteHeader(status int) {
	if status < http.StatusOK {
		c.ResponseWriter.WriteHeader(status)
		return
	}
	// The last one before the first byte counts: an answer that cannot be written becomes an error.
	if !c.begun {
		c.status = status
	}
}

func (c *compressor) Write(p []byte) (int, error) {
	if !c.begun {
		c.begin(true)
	}
	if c.gzip != nil {
		return c.gzip.Write(p)
	}
	return c.ResponseWriter.Write(p)
}

// begin sends the status and headers.
func (c *compressor) begin(hasBody bool) {
	c.begun = true
	if c.status == 0 {
		c.status = http.StatusOK
	}
	hasBody = hasBody && c.status != http.StatusNoContent && c.status != http.StatusNotModified
	header := c.Header()
	if c.accepted && hasBody && header.Get("Content-Encoding") == "" {
		c.gzip = takeGzip(c.ResponseWriter)
	}
	if c.gzip != nil {
		header.Set("Content-Encoding", "gzip")
		header.Del("Content-Length")
	}
	c.ResponseWriter.WriteHeader(c.status)
}

// FlushError sends what there is, for http.ResponseController.
func (c *compressor) FlushError() error {
	if !c.begun {
		c.begin(true)
	}
	if c.gzip != nil {
		err := c.gzip.Flush()
		if err != nil {
			return err
		}
	}
	return http.NewResponseController(c.ResponseWriter).Flush()
}

// Unwrap lets http.ResponseController reach the connection.
func (c *compressor) Unwrap() http.ResponseWriter {
	return c.ResponseWriter
}

func (c *compressor) finish() {
	if !c.begun {
		c.begin(false)
	}
	if c.gzip == nil {
		return
	}
	// A client that has gone cannot be told anything.
	_ = c.gzip.Close()
}

// release gives the writer back, also after a panic.
func (c *compressor) release() {
	if c.gzip != nil {
		gzipWriters.Put(c.gzip)
		<-compressing
	}
}

// maxCompressing bounds the answers being compressed, each at the price of most of a MiB for
// as long as its client takes. The others go out as they are, which every client takes.
const maxCompressing = 32

var compressing = make(chan struct{}, maxCompressing)

// takeGzip gives a writer, or nil while as many as may are in use.
func takeGzip(w io.Writer) *gzip.Writer {
	select {
	case compressing <- struct{}{}:
	default:
		return nil
	}
	taken := gzipWriters.Get().(*gzip.Writer)
	taken.Reset(w)
	return taken
}

var gzipWriters = sync.Pool{New: func() any {
	// The level is a constant that exists.
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	return w
}}

// acceptsGzip reads Accept-Encoding as RFC 9110 section 12.5.3 has it; no header means that
// the client said nothing of it, and gets plain bytes.
func acceptsGzip(values []string) bool {
	accepted := false
	for _, value := range values {
		for part := range strings.SplitSeq(value, ",") {
			coding, parameters, _ := strings.Cut(part, ";")
			coding = strings.ToLower(strings.TrimSpace(coding))
			switch coding {
			case "gzip", "x-gzip":
				return !isZeroWeight(parameters)
			case "*":
				accepted = !isZeroWeight(parameters)
			}
		}
	}
	return accepted
}

func isZeroWeight(parameters string) bool {
	name, value, found := strings.Cut(strings.TrimSpace(parameters), "=")
	if !found || !strings.EqualFold(strings.TrimSpace(name), "q") {
		return false
	}
	weight, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	return err == nil && weight == 0
}
