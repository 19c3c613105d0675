package edge

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/enlace-iis/enlace/gateway/internal/routes"
	"github.com/enlace-iis/enlace/services/process/fair"
)

const (
	headerTimeout  = 10 * time.Second
	idleTimeout    = 2 * time.Minute
	answerSlack    = 30 * time.Second
	maxHeaderBytes = 32 << 10
	// receiveBuffer is what a client may send over HTTP/2 before anybody wants to read it.
	receiveBuffer = 128 << 10
	// listTimeout bounds a list as a whole, listWait the wait for its turn.
	listTimeout = 15 * time.Minute
	listWait    = 5 * time.Second
)

// NewServer makes the HTTP server around the edge, which speaks HTTP/2 over TLS. It has no
// ReadTimeout on purpose: it would pass while a list is being sent, and net/http would cancel the
// list. Bodies have their deadline from readBody, lists extend theirs at each write.
func NewServer(e *Edge, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           e,
		ReadHeaderTimeout: headerTimeout,
		WriteTimeout:      e.cfg.TimeoutClient + max(e.cfg.TimeoutBatch, e.cfg.Timeout) + answerSlack,
		IdleTimeout:       idleTimeout,
		HTTP2:             &http.HTTP2Config{MaxReceiveBufferPerConnection: receiveBuffer, MaxReceiveBufferPerStream: receiveBuffer},
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		// OPTIONS * gets our 404 and its headers, not net/http's 200 without them.
		DisableGeneralOptionsHandler: true,
	}
}

// limitTime gives the call its deadline, which gRPC tells the service. The time that a
// client takes to send its body is not counted; it has a limit of its own.
func (e *Edge) limitTime(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		timeout, route := e.cfg.Timeout, matchOf(r.Context()).route
		switch {
		case route.List:
			timeout = listTimeout
		case route.Body == routes.Batch:
			timeout = e.cfg.TimeoutBatch
		}
		ctx, cancel := context.WithTimeout(r.Context(), timeout)
		defer cancel()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// newLists bounds the lists being sent. A client that stops reading keeps its own, so no
// credential has more than a quarter; how many each institution may have open is for the
// services to say.
func newLists(most int) *fair.Gate {
	return fair.New(fair.Config{Capacity: int64(most), Share: int64(max(1, most/4))})
}

// boundLists keeps the number of lists that may go unread to what there is memory for. A list
// counts once its service has begun to answer: one that is refused takes nobody's turn.
func (e *Edge) boundLists(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		leave := func() {}
		defer func() { leave() }()
		callOf(r).Begin = func(ctx context.Context) error {
			waiting, cancel := context.WithTimeout(ctx, e.listWait)
			defer cancel()
			turn, err := e.lists.Enter(waiting, credentialsOf(r.Context()), 1)
			if err == nil {
				leave = turn
			}
			return refusalOf(err, shareOfLists)
		}
		next.ServeHTTP(w, r)
	})
}
