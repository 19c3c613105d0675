package edge

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/enlace-iis/enlace/gateway/internal/httperr"
	"github.com/enlace-iis/enlace/gateway/internal/routes"
	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/proto/jsonwire"
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
		// All that a body leads to, the answer too, has been written by then.
		defer x.admission.leave()
		err := e.admitBody(r)
		if err != nil {
			e.refuseAdmission(w, r, err)
			return
		}
		content, err := readContent(r, x.route.BodyLimit)
		if refusal := x.judgeBody(r, content, err); refusal != nil {
			e.refuse(w, r, refusal)
			return
		}
		if r.ContentLength != 0 {
			unboundReading(w)
		}
		x.bodyRead = true
		err = e.admitWork(r, len(content))
		if err != nil {
			e.refuseAdmission(w, r, err)
			return
		}
		x.call.Body = content
		next.ServeHTTP(w, r)
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
	case errors.Is(err, os.ErrDeadlineExceeded):
		return httperr.TimedOut()
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

// readAll reads at most limit bytes; more is errTooLarge. size is how many will come, or
// negative.
func readAll(source io.Reader, size, limit int64) ([]byte, error) {
	if size >= 0 {
		content := make([]byte, size)
		n, err := io.ReadFull(source, content)
		return content[:n], err
	}
	content, err := io.ReadAll(io.LimitReader(source, limit+1))
	if int64(len(content)) > limit {
		return nil, errTooLarge
	}
	return content, err
}
