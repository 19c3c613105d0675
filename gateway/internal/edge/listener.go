package edge

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/enlace-iis/enlace/services/process/header"
)

// Listen gives the connections of the public port to [NewServer]'s server, over TLS if there
// is a config. What net/http answers by itself, before it has a request to hand to the edge,
// leaves them with the headers and the body of every other refusal; docs/decisions says what
// of HTTP/2 does not.
func (e *Edge) Listen(inner net.Listener, security *tls.Config) net.Listener {
	return &listener{Listener: inner, edge: e, security: security}
}

type listener struct {
	net.Listener

	edge     *Edge
	security *tls.Config

	mu   sync.Mutex
	last []net.Conn // see Close
}

func (l *listener) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	if err != nil {
		var ok bool
		accepted, ok = l.next()
		if !ok {
			return nil, err
		}
	}
	if l.security == nil {
		return &conn{Conn: accepted, edge: l.edge}, nil
	}
	secure := tls.Server(accepted, l.security)
	return &secureConn{conn: conn{Conn: secure, edge: l.edge, secure: true}, tls: secure}, nil
}

// A conn replaces net/http's own answers.
type conn struct {
	net.Conn

	edge   *Edge
	secure bool
}

func (c *conn) Write(p []byte) (int, error) {
	status := ownAnswer(p)
	if status == 0 {
		return c.Conn.Write(p)
	}
	_, err := c.Conn.Write(c.edge.malformed(status, c.secure))
	if err != nil {
		return 0, err
	}
	c.edge.metrics.observe(methodLabel(""), "", status, 0)
	return len(p), nil
}

// CloseWrite lets net/http end an answer whose request it has not read to its end.
func (c *conn) CloseWrite() error {
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok {
		return errors.ErrUnsupported
	}
	return half.CloseWrite()
}

// A secureConn is TLS of which net/http sees the inside: the handshake happens at the first
// read, and HTTP/2 is known by its preface, which only clients that negotiated it send.
type secureConn struct {
	conn

	tls *tls.Conn
}

type secureKey struct{}

// markSecure lets requests know what net/http does not: that their connection is TLS.
func markSecure(ctx context.Context, c net.Conn) context.Context {
	_, secure := c.(*secureConn)
	return context.WithValue(ctx, secureKey{}, secure)
}

func isSecure(ctx context.Context) bool {
	secure, _ := ctx.Value(secureKey{}).(bool)
	return secure
}

func (c *secureConn) Read(p []byte) (int, error) {
	n, err := c.tls.Read(p)
	plain, ok := errors.AsType[tls.RecordHeaderError](err)
	if ok && plain.Conn != nil && slices.Contains(plainBeginnings, string(plain.RecordHeader[:])) {
		// Whoever speaks plain HTTP here is answered so.
		c.Conn, c.secure = plain.Conn, false
	}
	return n, err
}

// plainBeginnings are how a request without TLS begins, as far as TLS looks at it.
var plainBeginnings = []string{"GET /", "HEAD ", "POST ", "PUT /", "OPTIO"}

// These are how net/http's own answers begin and end their headers. None of the edge's is
// like them: those have a Content-Security-Policy.
var (
	ownStatus  = []byte("HTTP/1.1 ")
	ownHeaders = []byte("\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")
)

// maxOwnAnswer is more than any of them is long.
const maxOwnAnswer = 512

// ownAnswer gives the status of an answer of net/http's own, and 0 for all that is none.
func ownAnswer(p []byte) int {
	if len(p) > maxOwnAnswer || !bytes.HasPrefix(p, ownStatus) || len(p) < len(ownStatus)+3 {
		return 0
	}
	// The value of an error is 0.
	status, _ := strconv.Atoi(string(p[len(ownStatus) : len(ownStatus)+3]))
	line := bytes.IndexByte(p, '\r')
	if status == http.StatusExpectationFailed || line >= 0 && bytes.HasPrefix(p[line:], ownHeaders) {
		return status
	}
	return 0
}

// malformed is a whole answer to what is no HTTP request.
func (e *Edge) malformed(status int, secure bool) []byte {
	id := header.NewRequestID()
	body := e.errors.Malformed(status, id)
	said := http.Header{}
	setSecureHeaders(said, secure)
	said.Set("Connection", "close")
	said.Set("Content-Length", strconv.Itoa(len(body)))
	said.Set("Content-Type", "application/problem+json")
	said.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	said.Set(header.RequestID, id)
	var answer bytes.Buffer
	// Nothing fails to be written to memory.
	answer.WriteString("HTTP/1.1 " + strconv.Itoa(status) + " " + http.StatusText(status) + "\r\n")
	_ = said.Write(&answer)
	answer.WriteString("\r\n")
	answer.Write(body)
	return answer.Bytes()
}
