package edge

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzip"
)

var (
	errTooLarge = errors.New("body over the limit")
	errEncoding = errors.New("unknown content encoding")
	errGzip     = errors.New("not gzip")
)

// A body that unpacks to more than maxRatio times its size, once past bombFloor, is made to
// hurt: the most repetitive batch of real records stays well below.
const (
	maxRatio  = 400
	bombFloor = 1 << 20
)

// reserve makes room for the first size bytes of a body, unpacked.
type reserve func(ctx context.Context, size int64) error

// readContent reads a body and unpacks it. The limit holds for the bytes on the wire and
// for the unpacked ones.
func readContent(r *http.Request, limit int64, reserve reserve) ([]byte, error) {
	switch contentEncoding(r) {
	case "":
		return readAll(r.Context(), r.Body, r.ContentLength, limit, reserve)
	case "gzip":
		return readGzip(r, limit, reserve)
	default:
		// Read all the same: whether it is too large comes before its encoding.
		n, err := io.Copy(io.Discard, io.LimitReader(r.Body, limit+1))
		if n > limit {
			return nil, errTooLarge
		}
		return nil, errors.Join(err, errEncoding)
	}
}

// contentEncoding names the encoding, "" for none.
func contentEncoding(r *http.Request) string {
	encoding := strings.ToLower(strings.TrimSpace(strings.Join(r.Header.Values("Content-Encoding"), ",")))
	switch encoding {
	case "identity":
		return ""
	case "x-gzip":
		return "gzip"
	default:
		return encoding
	}
}

func readGzip(r *http.Request, limit int64, reserve reserve) ([]byte, error) {
	packed := &counter{source: r.Body, limit: limit}
	unpacker, err := gzip.NewReader(packed)
	if err != nil && packed.read == 0 && packed.failed == nil {
		return nil, nil // no body at all
	}
	if err != nil {
		return nil, packed.blame(err)
	}
	content, err := readAll(r.Context(), &ratioGuard{unpacker: unpacker, packed: packed}, -1, limit, reserve)
	if err != nil {
		return content, packed.blame(err)
	}
	return content, nil
}

// A counter counts the bytes on the wire, and gives errTooLarge beyond the limit.
type counter struct {
	source io.Reader
	limit  int64
	read   int64
	failed error // of the source, other than its end
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.source.Read(p)
	c.read += int64(n)
	if c.read > c.limit {
		err = errTooLarge
	}
	if err != nil && !errors.Is(err, io.EOF) {
		c.failed = err
	}
	return n, err
}

// blame tells a stream that is not gzip from one that did not arrive.
func (c *counter) blame(err error) error {
	switch {
	case c.failed != nil:
		return c.failed
	case errors.Is(err, errTooLarge):
		return err
	default:
		return errors.Join(errGzip, err)
	}
}

// A ratioGuard stops unpacking a bomb long before it reaches the limit.
type ratioGuard struct {
	unpacker io.Reader
	packed   *counter
	unpacked int64
}

func (g *ratioGuard) Read(p []byte) (int, error) {
	n, err := g.unpacker.Read(p)
	g.unpacked += int64(n)
	if g.unpacked > bombFloor && g.unpacked > maxRatio*g.packed.read {
		return 0, errTooLarge
	}
	return n, err
}
