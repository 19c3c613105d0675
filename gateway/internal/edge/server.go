package edge

import (
	"log/slog"
	"net/http"
	"time"
)

const (
	headerTimeout  = 10 * time.Second
	idleTimeout    = 2 * time.Minute
	answerSlack    = 30 * time.Second
	maxHeaderBytes = 32 << 10
	// receiveBuffer is what a client may send over HTTP/2 before anybody wants to read it.
	receiveBuffer = 128 << 10
)

// NewServer makes the HTTP server around the edge, for the connections of [Edge.Listen]. It
// speaks HTTP/2 where those are secure. It has no ReadTimeout on purpose: it
// would pass while a list is being sent, and net/http would cancel the list. Bodies have
// their deadline from readBody, lists extend theirs at each write.
func NewServer(e *Edge, log *slog.Logger, secure bool) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	// The connections have taken the encryption off already.
	protocols.SetUnencryptedHTTP2(secure)
	return &http.Server{
		Handler:           e,
		ReadHeaderTimeout: headerTimeout,
		WriteTimeout:      e.cfg.TimeoutClient + max(e.cfg.TimeoutBatch, e.cfg.Timeout) + answerSlack,
		IdleTimeout:       idleTimeout,
		ConnContext:       markSecure,
		ConnState:         e.busy.track,
		Protocols:         protocols,
		HTTP2:             &http.HTTP2Config{MaxReceiveBufferPerConnection: receiveBuffer, MaxReceiveBufferPerStream: receiveBuffer},
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		// OPTIONS * gets our 404 and its headers, not net/http's 200 without them.
		DisableGeneralOptionsHandler: true,
	}
}
