package edge

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/enlace-iis/enlace/gateway/internal/routes"
	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/proto/jsonwire"
	"github.com/enlace-iis/enlace/services/process/fair"
	"github.com/enlace-iis/enlace/services/process/header"
)

// strangersBody is how much of a body is read for anybody: not much more than the connection
// that it comes on costs. For more the service is asked first, so that nobody without a
// credential makes us hold it.
const strangersBody = 8 << 10

// An answer to a batch can be far larger than the batch: every three bytes of "{}," are an
// observation for each required field. There are at most 5000 of them, on whose way as much
// memory is used as on that of a body of maxAnswer or two.
const (
	answerRatio = 128
	maxAnswer   = 1 << 20
)

// A body that unpacks to more than maxRatio times its size, once past bombFloor, is made to
// hurt: the most repetitive batch of real records stays well below.
const (
	maxRatio  = 400
	bombFloor = 1 << 20
)

// firstBuffer is what is set aside for a body before it is known how much of it will come.
const firstBuffer = 64 << 10

var (
	errEncoding = errors.New("unknown content encoding")
	errGzip     = errors.New("not gzip")
)

// callOf gives what the mux's handlers read the body of a request from.
func callOf(r *http.Request) *routes.Call { return r.Body.(*routes.Call) }

// boundReading gives a body its time. Where no handler reads it, this also bounds how long
// net/http waits for the rest before it answers.
func (e *Edge) boundReading(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 {
			// A writer without a connection, in a test, has no deadlines.
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(e.cfg.TimeoutClient))
		}
		next.ServeHTTP(w, r)
	})
}

// maxNothing is how much of a body is read at a route that takes none.
const maxNothing = 64

// isNothing reports whether a body has nothing to say: what a client asks for in the body of a route
// that takes none, such as to simulate, would be done otherwise.
func isNothing(body io.Reader) bool {
	content, err := io.ReadAll(io.LimitReader(body, maxNothing))
	trimmed := bytes.TrimSpace(content)
	return err == nil && len(content) < maxNothing && (len(trimmed) == 0 || string(trimmed) == "{}")
}

// readBody reads the body of routes that take one: at most the route's limit, decompressed,
// within its time, once there is memory for it, see intake.go. The refusals are in
// the contract's order, 413 before 415 before 400.
func (e *Edge) readBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		route, call := matchOf(r.Context()).route, callOf(r)
		if route.Body == routes.NoBody {
			if route.RefusesQuery && r.Method != http.MethodGet && !isNothing(call.Source) {
				e.refuse(w, r, routes.NewError(errores.ParametroNoAdmitido, "Esta ruta no lleva cuerpo."))
				return
			}
			next.ServeHTTP(w, r)
			return
		}
		if r.ContentLength > route.BodyLimit {
			e.refuse(w, r, routes.ErrTooLarge)
			return
		}
		controller := http.NewResponseController(w)
		arriving := e.gates.begin(call.Source, controller, time.Now().Add(e.cfg.TimeoutClient))
		// All that a body leads to, the answer too, has been written by then.
		defer arriving.leave()
		source, owner, err := e.admitBody(r, route, arriving)
		if err != nil {
			e.refuseAdmission(w, r, err)
			return
		}
		content, err := readContent(r, source, route.BodyLimit, arriving.reserve)
		if refusal := judgeBody(r, route, content, err); refusal != nil {
			e.refuse(w, r, refusal)
			return
		}
		if r.ContentLength != 0 {
			// If the deadline passed while the request is being served, net/http would take the client for
			// gone and cancel.
			_ = controller.SetReadDeadline(time.Time{})
		}
		call.Source, call.Body = http.NoBody, content
		// Who sent a small batch is known by its address alone.
		if arriving.admitted() || route.Body == routes.Batch {
			err = refusalOf(arriving.whole(r.Context(), owner, withAnswer(route, int64(len(content)))), shareOfBatches)
		}
		if err != nil {
			e.refuseAdmission(w, r, err)
			return
		}
		next.ServeHTTP(arriving.answer(r.Context(), w), r)
	})
}

// admitBody lets a body be read, from what it gives: a small one at once, a larger one when its
// sender's credentials are good and its size, or where that is not known the most that it may have,
// is within the share of the sender, whom it names. An error is the service's or the gates'.
func (e *Edge) admitBody(r *http.Request, route *routes.Route, arriving *body) (source io.Reader, owner string, err error) {
	source, owner = arriving, fair.SourceOf(originOf(r.Context()).client).String()
	verified, plain := route.Access != routes.Open, contentEncoding(r) == ""
	if plain && r.ContentLength >= 0 && r.ContentLength <= strangersBody {
		return source, owner, nil
	}
	empresa, err := e.ask(r, beforehand)
	if err != nil && status.Code(err) != codes.Unimplemented {
		return nil, "", err
	}
	if empresa != "" {
		owner, verified = empresa, true
	}
	if plain && r.ContentLength < 0 {
		beginning, err := io.ReadAll(io.LimitReader(arriving, strangersBody+1))
		// A body that has ended, or failed, does so again.
		source = io.MultiReader(bytes.NewReader(beginning), arriving)
		if err != nil || len(beginning) <= strangersBody {
			return source, owner, nil
		}
	}
	large := route.Body == routes.Batch && r.ContentLength > header.LargeBatch
	return source, owner, refusalOf(arriving.admit(r.Context(), owner, verified, large, mostBytes(r, route)), shareOfBatches)
}

// mostBytes is the most that a body and what follows from it may take.
func mostBytes(r *http.Request, route *routes.Route) int64 {
	size := route.BodyLimit
	switch {
	case r.ContentLength < 0:
	case contentEncoding(r) == "":
		size = r.ContentLength
	default:
		size = min(size, max(bombFloor, maxRatio*r.ContentLength))
	}
	return withAnswer(route, size)
}

// withAnswer adds what the answer may need beyond its request.
func withAnswer(route *routes.Route, size int64) int64 {
	if route.Body != routes.Batch {
		return size
	}
	return max(size, min(maxAnswer, answerRatio*size))
}

// What an institution has all of already.
const (
	shareOfBatches = "Ya hay tantos lotes en proceso como admite una institución. Espere lo que indica Retry-After."
	shareOfLists   = "Ya hay tantas listas abiertas como admite una credencial. Espere lo que indica Retry-After."
)

// refusalOf is the answer to what a gate did not let in; share says what it divides.
func refusalOf(err error, share string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fair.ErrShare):
		return &routes.Error{Motivo: errores.DemasiadasSolicitudes, Detail: share, RetryAfter: time.Second}
	default:
		return routes.ErrUnavailable
	}
}

// refuseAdmission answers what a service or a gate said of a body.
func (e *Edge) refuseAdmission(w http.ResponseWriter, r *http.Request, err error) {
	if refusal, ok := errors.AsType[*routes.Error](err); ok && refusal.Motivo == errores.DemasiadasSolicitudes {
		e.refuse(w, r, refusal)
		return
	}
	e.onError(w, r, err)
}

// judgeBody puts what may be wrong with a body in the contract's order.
func judgeBody(r *http.Request, route *routes.Route, content []byte, err error) *routes.Error {
	hasBody := len(content) > 0 || err != nil
	switch {
	case errors.Is(err, routes.ErrTooLarge):
		return routes.ErrTooLarge
	case errors.Is(err, errEncoding):
		return routes.NewError(errores.TipoNoAdmitido, "El Content-Encoding no se admite; use gzip o ninguno.")
	case hasBody && route.Body != routes.Lenient && !isJSON(r.Header.Values("Content-Type")):
		return routes.NewError(errores.TipoNoAdmitido, "El Content-Type debe ser application/json.")
	case errors.Is(err, errSlow):
		return routes.ErrTooSlow
	case errors.Is(err, fair.ErrLost), errors.Is(err, context.DeadlineExceeded):
		return routes.ErrUnavailable // Others needed the room, or left none.
	case err != nil:
		// The place where a body ended before its time.
		broken := &jsonwire.Error{Codigo: jsonwire.CodigoSintaxis, Mensaje: "El cuerpo no llegó completo.", Byte: int64(len(content))}
		if errors.Is(err, errGzip) {
			broken.Mensaje = "El cuerpo no es gzip válido."
		}
		return routes.FromError(broken)
	default:
		return nil
	}
}

// isJSON accepts application/json, in UTF-8 if a charset is named at all. Two types are
// none: whoever stands between here and the client may have read the other.
func isJSON(contentTypes []string) bool {
	if len(contentTypes) != 1 {
		return false
	}
	mediaType, parameters, err := mime.ParseMediaType(contentTypes[0])
	charset, named := parameters["charset"]
	return err == nil && mediaType == "application/json" && (!named || strings.EqualFold(charset, "utf-8"))
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

// readContent reads a body and unpacks it. The limit holds for the bytes on the wire and
// for the unpacked ones.
func readContent(r *http.Request, source io.Reader, limit int64, reserve func(context.Context, int64) error) ([]byte, error) {
	switch contentEncoding(r) {
	case "":
		return readAll(r.Context(), source, r.ContentLength, limit, reserve)
	case "gzip":
		return readGzip(r.Context(), source, limit, reserve)
	default:
		// Read all the same: whether it is too large comes before its encoding.
		n, err := io.Copy(io.Discard, io.LimitReader(source, limit+1))
		if n > limit {
			return nil, routes.ErrTooLarge
		}
		return nil, errors.Join(err, errEncoding)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// readGzip stops unpacking a bomb long before it reaches the limit.
func readGzip(ctx context.Context, source io.Reader, limit int64, reserve func(context.Context, int64) error) ([]byte, error) {
	var wire, unpacked int64
	var failed error // of the source, other than its end
	packed := readerFunc(func(p []byte) (int, error) {
		n, err := source.Read(p)
		wire += int64(n)
		if wire > limit {
			err = routes.ErrTooLarge
		}
		if err != nil && !errors.Is(err, io.EOF) {
			failed = err
		}
		return n, err
	})
	unpacker, err := gzip.NewReader(packed)
	if err != nil && wire == 0 && failed == nil {
		return nil, nil // no body at all
	}
	var content []byte
	if err == nil {
		content, err = readAll(ctx, readerFunc(func(p []byte) (int, error) {
			n, err := unpacker.Read(p)
			unpacked += int64(n)
			if unpacked > bombFloor && unpacked > maxRatio*wire {
				return 0, routes.ErrTooLarge
			}
			return n, err
		}), -1, limit, reserve)
	}
	switch {
	case failed != nil:
		return content, failed
	case err != nil && !errors.Is(err, routes.ErrTooLarge):
		err = errors.Join(errGzip, err)
	}
	return content, err
}

// readAll reads at most limit bytes; more is [routes.ErrTooLarge]. size is how many will come, or
// negative. What has arrived at most doubles the memory that is asked of reserve, however much
// was announced.
func readAll(ctx context.Context, source io.Reader, size, limit int64, reserve func(context.Context, int64) error) ([]byte, error) {
	most := size
	if size < 0 {
		most = limit + 1
	}
	var content []byte
	var err error
	for err == nil && int64(len(content)) < most {
		if len(content) == cap(content) {
			larger := min(max(firstBuffer, 2*int64(cap(content))), most)
			err = reserve(ctx, larger)
			if err != nil {
				return content, err
			}
			content = append(make([]byte, 0, larger), content...)
		}
		var n int
		n, err = source.Read(content[len(content):cap(content)])
		content = content[:len(content)+n]
	}
	switch {
	case size < 0 && int64(len(content)) > limit:
		return nil, routes.ErrTooLarge
	case errors.Is(err, io.EOF) && int64(len(content)) < size:
		return content, io.ErrUnexpectedEOF
	case errors.Is(err, io.EOF):
		return content, nil
	default:
		return content, err
	}
}
