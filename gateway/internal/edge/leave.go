package edge

import (
	"context"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"
	"time"
)

// leaveLimit bounds the wait for connections on which nobody asks anything.
const leaveLimit = 5 * time.Second

// Leave waits until every connection is answered or idle. It comes after [Edge.Drain] and when
// no more connections are taken, and before the server's Shutdown, which closes a connection
// without an answer if it has yet to read its request. What takes longer is Shutdown's to wait for.
func (e *Edge) Leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, leaveLimit)
	defer cancel()
	select {
	case <-e.busy.none():
	case <-ctx.Done():
	}
}

// busy knows the connections that are not idle: a request may be on its way, or is answered.
type busy struct {
	mu    sync.Mutex
	conns map[net.Conn]struct{}
	empty chan struct{} // closed when there are none; nil while nobody waits
}

func (b *busy) track(c net.Conn, state http.ConnState) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if state == http.StateNew || state == http.StateActive {
		if b.conns == nil {
			b.conns = map[net.Conn]struct{}{}
		}
		b.conns[c] = struct{}{}
		return
	}
	delete(b.conns, c)
	b.tell()
}

func (b *busy) none() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	empty := make(chan struct{})
	b.empty = empty
	b.tell()
	return empty
}

func (b *busy) tell() {
	if b.empty != nil && len(b.conns) == 0 {
		close(b.empty)
		b.empty = nil
	}
}

// Close takes what the kernel has accepted already, and would reset.
func (l *listener) Close() error {
	l.mu.Lock()
	l.last = append(l.last, accepted(l.Listener)...)
	l.mu.Unlock()
	return l.Listener.Close()
}

// next is one of those, which are handed out after all others.
func (l *listener) next() (net.Conn, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.last) == 0 {
		return nil, false
	}
	c := l.last[0]
	l.last = l.last[1:]
	return c, true
}

// accepted gives the connections that wait at a listener.
func accepted(inner net.Listener) []net.Conn {
	socket, ok := inner.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return nil
	}
	var conns []net.Conn
	// What fails here has no connection to give.
	_ = raw.Control(func(fd uintptr) {
		for {
			each, _, err := syscall.Accept(int(fd))
			if err != nil {
				return // nobody waits
			}
			file := os.NewFile(uintptr(each), "connection")
			c, err := net.FileConn(file)
			if err == nil {
				conns = append(conns, c)
			}
			_ = file.Close()
		}
	})
	return conns
}
