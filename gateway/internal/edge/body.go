package edge

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/enlace-iis/enlace/gateway/internal/httperr"
	"github.com/enlace-iis/enlace/gateway/internal/jsonwire"
	"github.com/enlace-iis/enlace/gateway/internal/routes"
	erroresv1 "github.com/enlace-iis/enlace/proto/gen/enlace/errores/v1"
)

// askBeforeReading is the size from which a body is not read for a stranger: the service is
// asked first, so that nobody without a credential makes us hold and decode 16 MiB.
const askBeforeReading = 64 << 10

// beforehand is the reason of a refusal that there is not.
const beforehand = erroresv1.Motivo_MOTIVO_UNSPECIFIED

// boundReading gives a body its time. Where no handler reads it, this also bounds how long
// net/http waits for the rest before it answers.
func (e *Edge) boundReading(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 {
			// A writer without a connection, in a test, has no deadlines.
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(e.cfg.BodyTimeout))
		}
		next.ServeHTTP(w, r)
	})
}

// leaveBody makes net/http answer at once and close, where it would first take in a body
// that was not asked for and may be long in coming.
func (x *exchange) leaveBody(w http.ResponseWriter, r *http.Request) {
	if !x.bodyRead && (r.ContentLength < 0 || r.ContentLength > askBeforeReading) {
		w.Header().Set("Connection", "close")
	}
}

// readBody reads the body of routes that take one: at most the route's limit, decompressed,
// within its time. The refusals are in the contract's order, 413 before 415 before 400.
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
		if r.ContentLength < 0 || r.ContentLength > askBeforeReading {
			err := e.ask(r.Context(), x, beforehand)
			if err != nil && status.Code(err) != codes.Unimplemented {
				e.onError(w, r, err)
				return
			}
		}
		content, err := readContent(r, x.trustedSize(r), x.route.BodyLimit)
		if refusal := x.judgeBody(r, content, err); refusal != nil {
			e.refuse(w, r, refusal)
			return
		}
		if r.ContentLength != 0 {
			unboundReading(w)
		}
		x.bodyRead = true
		x.call.Body = content
		next.ServeHTTP(w, r)
	})
}

// unboundReading takes the deadline away again. If it passed while the request is being
// served, net/http would take the client for gone and cancel.
func unboundReading(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
}

// trustedSize is how much memory may be set aside for a body at once: what is announced, if
// that is little or the client is known. Else -1: it grows with what comes.
func (x *exchange) trustedSize(r *http.Request) int64 {
	if r.ContentLength > askBeforeReading && !x.admitted {
		return -1
	}
	return r.ContentLength
}

// judgeBody puts what may be wrong with a body in the contract's order.
func (x *exchange) judgeBody(r *http.Request, content []byte, err error) *httperr.Error {
	hasBody := len(content) > 0 || err != nil
	switch {
	case errors.Is(err, errTooLarge):
		return httperr.TooLarge()
	case errors.Is(err, errEncoding):
		return httperr.New(httperr.TipoNoAdmitido, "El Content-Encoding no se admite; use gzip o ninguno.")
	case hasBody && x.route.Body != routes.Lenient && !isJSON(r.Header.Values("Content-Type")):
		return httperr.New(httperr.TipoNoAdmitido, "El Content-Type debe ser application/json.")
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
