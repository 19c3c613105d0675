package httperr

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/enlace-iis/enlace/proto/errores"
)

// Style is the form of a route's errors.
type Style int

const (
	// Problem is RFC 9457, for institutions and operators.
	Problem Style = iota
	// Platform is what the national platform's manual shows.
	Platform
)

func (s Style) String() string {
	if s == Platform {
		return "platform"
	}
	return "problem"
}

// About is what an answer says of its request.
type About struct {
	Style     Style
	Challenge string // for WWW-Authenticate: `ApiKey realm="enlace"`
	Instance  string // the path, as a client outside sees it
	RequestID string
}

// Writer writes refusals.
type Writer struct {
	typeBase string
}

// NewWriter makes a Writer whose problem types live under base, the public address of the
// documentation with the root path and without a final slash.
func NewWriter(base string) *Writer {
	return &Writer{typeBase: base + "/errores/"}
}

// Write answers with a refusal. Nothing may have been written before.
func (w *Writer) Write(rw http.ResponseWriter, about About, refusal *Error) {
	header := rw.Header()
	setHeaders(header, about, refusal)
	var status int
	var body []byte
	if about.Style == Platform {
		status = errores.PlatformStatus(refusal.Motivo)
		header.Set("Content-Type", "application/json")
		body = appendPlatform(nil, about, refusal)
	} else {
		status = errores.Status(refusal.Motivo)
		header.Set("Content-Type", "application/problem+json")
		body = w.appendProblem(nil, kindOf(refusal.Motivo), about, refusal)
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	rw.WriteHeader(status)
	// A client that has gone cannot be told anything.
	_, _ = rw.Write(body)
}

func setHeaders(header http.Header, about About, refusal *Error) {
	wait := retryAfter(refusal)
	switch errores.Status(refusal.Motivo) {
	case http.StatusUnauthorized:
		header.Set("WWW-Authenticate", about.Challenge)
	case http.StatusServiceUnavailable:
		header.Set("Retry-After", strconv.Itoa(wait))
	case http.StatusTooManyRequests:
		header.Set("Retry-After", strconv.Itoa(wait))
		setRateLimit(header, refusal.Quota, wait)
	}
}

// retryAfter is in whole seconds, rounded up: whoever obeys is not refused again.
func retryAfter(refusal *Error) int {
	seconds := int((refusal.RetryAfter + time.Second - 1) / time.Second)
	return max(seconds, 1)
}

// setRateLimit sets the fields of draft-ietf-httpapi-ratelimit-headers. Where the limit
// is not known, what is true is told: one request once the wait is over.
func setRateLimit(header http.Header, quota *Quota, wait int) {
	if quota == nil {
		quota = &Quota{Name: "credencial", Limit: 1, Window: time.Duration(wait) * time.Second}
	}
	window := int(quota.Window / time.Second)
	header.Set("RateLimit-Policy", fmt.Sprintf("%q;q=%d;w=%d", quota.Name, quota.Limit, window))
	header.Set("RateLimit", fmt.Sprintf("%q;r=0;t=%d", quota.Name, wait))
}
