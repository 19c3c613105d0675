package edge

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/enlace-iis/enlace/gateway/internal/httperr"
	"github.com/enlace-iis/enlace/gateway/internal/intake"
	"github.com/enlace-iis/enlace/gateway/internal/routes"
	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/proto/jsonwire"
	"github.com/enlace-iis/enlace/services/process/fair"
)

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

// leaveBody makes net/http answer at once and close, where it would first take in a body
// that was not asked for and may be long in coming.
func (x *exchange) leaveBody(w http.ResponseWriter, r *http.Request) {
	if !x.bodyRead && (r.ContentLength < 0 || r.ContentLength > strangersBody) {
		w.Header().Set("Connection", "close")
	}
}

// readBody reads the body of routes that take one: at most the route's limit, decompressed,
// within its time, once there is memory for it, see admit.go. The refusals are in the
// contract's order, 413 before 415 before 400.
func (e *Edge) readBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := of(r)
		if x.route.Body == routes.NoBody {
			next.ServeHTTP(w, r)
			return
		}
		if r.ContentLength > x.route.BodyLimit {
			e.refuse(w, r, httperr.TooLarge())
			return
		}
		controller := http.NewResponseController(w)
		body := e.gates.Begin(r.Body, controller, time.Now().Add(e.cfg.TimeoutClient))
		// All that a body leads to, the answer too, has been written by then.
		defer body.Leave()
		r.Body = joined{body, r.Body}
		err := e.admitBody(r, body)
		if err != nil {
			e.refuseAdmission(w, r, err)
			return
		}
		content, err := readContent(r, x.route.BodyLimit, body.Reserve)
		if refusal := x.judgeBody(r, content, err); refusal != nil {
			e.refuse(w, r, refusal)
			return
		}
		if r.ContentLength != 0 {
			unboundReading(w)
		}
		x.bodyRead = true
		err = e.admitWork(r, body, len(content))
		if err != nil {
			e.refuseAdmission(w, r, err)
			return
		}
		x.call.Body = content
		next.ServeHTTP(body.Answer(r.Context(), w), r)
	})
}

// unboundReading takes the deadline away again. If it passed while the request is being
// served, net/http would take the client for gone and cancel.
func unboundReading(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
}

// judgeBody puts what may be wrong with a body in the contract's order.
func (x *exchange) judgeBody(r *http.Request, content []byte, err error) *httperr.Error {
	hasBody := len(content) > 0 || err != nil
	switch {
	case errors.Is(err, errTooLarge):
		return httperr.TooLarge()
	case errors.Is(err, errEncoding):
		return httperr.New(errores.TipoNoAdmitido, "El Content-Encoding no se admite; use gzip o ninguno.")
	case hasBody && x.route.Body != routes.Lenient && !isJSON(r.Header.Values("Content-Type")):
		return httperr.New(errores.TipoNoAdmitido, "El Content-Type debe ser application/json.")
	case errors.Is(err, intake.ErrSlow):
		return httperr.TooSlow()
	case errors.Is(err, fair.ErrLost), errors.Is(err, context.DeadlineExceeded):
		// Others needed the room, or left none.
		return httperr.Unavailable()
	case err != nil:
		return httperr.FromJSON(brokenBody(content, err))
	default:
		return nil
	}
}

// brokenBody is the place where a body ended before its time.
func brokenBody(content []byte, err error) *jsonwire.Error {
	broken := &jsonwire.Error{
		Codigo:  jsonwire.CodigoSintaxis,
		Mensaje: "El cuerpo no llegó completo.",
		Byte:    int64(len(content)),
	}
	if errors.Is(err, errGzip) {
		broken.Mensaje = "El cuerpo no es gzip válido."
	}
	return broken
}

// isJSON accepts application/json, in UTF-8 if a charset is named at all. Two types are
// none: whoever stands between here and the client may have read the other.
func isJSON(contentTypes []string) bool {
	if len(contentTypes) != 1 {
		return false
	}
	if contentTypes[0] == "application/json" {
		return true
	}
	mediaType, parameters, err := mime.ParseMediaType(contentTypes[0])
	if err != nil || mediaType != "application/json" {
		return false
	}
	charset, named := parameters["charset"]
	return !named || strings.EqualFold(charset, "utf-8")
}

// firstBuffer is what is set aside for a body before it is known how much of it will come.
const firstBuffer = 64 << 10

// readAll reads at most limit bytes; more is errTooLarge. size is how many will come, or
// negative. What has arrived at most doubles the memory that is asked of reserve, however much
// was announced.
func readAll(ctx context.Context, source io.Reader, size, limit int64, reserve reserve) ([]byte, error) {
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
		return nil, errTooLarge
	case errors.Is(err, io.EOF) && int64(len(content)) < size:
		return content, io.ErrUnexpectedEOF
	case errors.Is(err, io.EOF):
		return content, nil
	default:
		return content, err
	}
}
