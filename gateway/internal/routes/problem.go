package routes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/enlace-iis/enlace/proto/errores"
	erroresv1 "github.com/enlace-iis/enlace/proto/gen/enlace/errores/v1"
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
	return [...]string{"problem", "platform"}[s]
}

// About is what an answer says of its request.
type About struct {
	Style     Style
	Challenge string // for WWW-Authenticate: `ApiKey realm="enlace"`
	Instance  string // the path, as a client outside sees it
	RequestID string
}

// problem is the shape of contract.md section 3: every member, always.
type problem struct {
	Type      string  `json:"type"`
	Title     string  `json:"title"`
	Status    int     `json:"status"`
	Detail    string  `json:"detail"`
	Instance  string  `json:"instance"`
	Codigo    string  `json:"codigo"`
	RequestID string  `json:"request_id"`
	Errores   []entry `json:"errores"`
}

// entry is one error of a problem; byte stands only where it means something (contract.md 8).
type entry struct {
	Indice  *int32  `json:"indice"`
	Folio   *string `json:"folio"`
	Puntero string  `json:"puntero"`
	Codigo  string  `json:"codigo"`
	Mensaje string  `json:"mensaje"`
	Byte    *int64  `json:"byte,omitempty"`
}

// platformProblem is the shape that pui.md decides: the manual's `error` and `errores`.
type platformProblem struct {
	Error     string   `json:"error"`
	Errores   []string `json:"errores"`
	Codigo    string   `json:"codigo"`
	RequestID string   `json:"request_id"`
}

// WriteError answers with a refusal. base is the public address of the documentation with the root
// path, below which the types of problems live. Nothing may have been written before.
func WriteError(w http.ResponseWriter, base string, about About, refusal *Error) {
	var body any
	codigo, status, contentType := errores.Codigo(refusal.Motivo), errores.Status(refusal.Motivo), "application/problem+json"
	setRefusalHeaders(w.Header(), status, about, refusal)
	if about.Style == Platform {
		texts := make([]string, len(refusal.Errores))
		for i, each := range refusal.Errores {
			texts[i] = platformText(each)
		}
		status, contentType = errores.PlatformStatus(refusal.Motivo), "application/json"
		body = platformProblem{Error: refusal.Detail, Errores: texts, Codigo: codigo, RequestID: about.RequestID}
	} else {
		entries := make([]entry, len(refusal.Errores))
		for i, each := range refusal.Errores {
			entries[i] = entry{each.Indice, each.Folio, each.GetPuntero(), each.GetCodigo(), each.GetMensaje(), each.Byte}
		}
		body = problem{
			Type: base + "/errores/" + codigo, Title: errores.Titulo(refusal.Motivo), Status: status, Detail: refusal.Detail,
			Instance: about.Instance, Codigo: codigo, RequestID: about.RequestID, Errores: entries,
		}
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(body) // texts and numbers always have a form
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(text.Len()-1))
	w.WriteHeader(status)
	// Without Encode's line feed. A client that has gone cannot be told anything.
	_, _ = w.Write(text.Bytes()[:text.Len()-1])
}

func setRefusalHeaders(header http.Header, status int, about About, refusal *Error) {
	// In whole seconds, rounded up: who obeys is not refused again.
	wait := max(1, int((refusal.RetryAfter+time.Second-1)/time.Second))
	switch status {
	case http.StatusUnauthorized:
		header.Set("WWW-Authenticate", about.Challenge)
	case http.StatusServiceUnavailable:
		header.Set("Retry-After", strconv.Itoa(wait))
	case http.StatusTooManyRequests:
		header.Set("Retry-After", strconv.Itoa(wait))
		quota := refusal.Quota
		if quota == nil {
			// What is known: one request once the wait is over.
			quota = &Quota{Name: "credencial", Limit: 1, Window: time.Duration(wait) * time.Second}
		}
		// The fields of draft-ietf-httpapi-ratelimit-headers.
		header.Set("RateLimit-Policy", fmt.Sprintf("%q;q=%d;w=%d", quota.Name, quota.Limit, int(quota.Window/time.Second)))
		header.Set("RateLimit", fmt.Sprintf("%q;r=0;t=%d", quota.Name, wait))
	}
}

// platformText is one error as a sentence. The services name the field in theirs, as the
// manual does; what the reader found needs it put in front.
func platformText(each *erroresv1.ErrorDeCampo) string {
	campo := strings.TrimPrefix(each.GetPuntero(), "/")
	if each.Byte == nil || campo == "" {
		return each.GetMensaje()
	}
	return "'" + campo + "': " + each.GetMensaje()
}
