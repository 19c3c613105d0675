package edge

import (
	"io"
	"net/http"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzhttp/writer"
	"github.com/klauspost/compress/gzhttp/writer/gzkp"
	"github.com/klauspost/compress/gzip"
)

// compress gzips the answers of clients that accept it, whatever their size: a small one costs
// less than a microsecond. HEAD and clients that name no gzip get plain bytes.
func compress(next http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(0), gzhttp.EnableZstd(false), gzhttp.CompressionLevel(gzip.BestSpeed),
		gzhttp.Implementation(writer.GzipWriterFactory{Levels: gzkp.Levels, New: newGzip}))
	if err != nil {
		panic(err) // The options are constants.
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := &recorder{ResponseWriter: w}
		wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			whole := false
			// After a panic gzhttp ends its stream, which would make a cut answer look whole.
			defer func() { out.cut = !whole }()
			next.ServeHTTP(w, r)
			whole = true
		})).ServeHTTP(out, r)
		out.begin()
	})
}

// maxCompressing bounds the writers that keep what they have sent, at the price of most of a MiB
// for as long as the client takes.
const maxCompressing = 32

var compressing = make(chan struct{}, maxCompressing)

// newGzip gives a writer that packs well or, while as many as may are in use, one without memory.
func newGzip(w io.Writer, level int) writer.GzipWriter {
	select {
	case compressing <- struct{}{}:
		return counted{gzkp.NewWriter(w, level)}
	default:
		return gzkp.NewWriter(w, gzip.StatelessCompression)
	}
}

type counted struct{ writer.GzipWriter }

func (c counted) Close() error {
	<-compressing
	return c.GzipWriter.Close()
}
