package crash

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// Link is a connection between two parts through which all of their bytes pass, so that it
// can be slowed, held up and cut.
type Link struct {
	listener net.Listener
	target   string
	serving  sync.WaitGroup

	mu     sync.Mutex
	closed bool
	// refusing drops what connects, holding keeps what comes, delay is before each part of it.
	refusing, holding bool
	delay             time.Duration
	changed           chan struct{} // closed with every change
	conns             map[net.Conn]struct{}
}

// NewLink listens at an address and passes on to another.
func NewLink(address, target string) (*Link, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen for link: %w", err)
	}
	l := &Link{listener: listener, target: target, changed: make(chan struct{}), conns: map[net.Conn]struct{}{}}
	l.serving.Go(l.accept)
	return l, nil
}

// Addr is where the link listens.
func (l *Link) Addr() string { return l.listener.Addr().String() }

// Slow delays everything that passes.
func (l *Link) Slow(delay time.Duration) { l.change(func() { l.delay = delay }) }

// Hold lets nothing through and tells nobody.
func (l *Link) Hold() { l.change(func() { l.holding = true }) }

// Cut breaks every connection and refuses new ones.
func (l *Link) Cut() {
	l.change(func() {
		l.refusing = true
		l.breakAll()
	})
}

// Mend makes the link good again. What was held is not delivered late but lost with its
// connection: who sent it has given up, and must not be taken at a word it has taken back.
func (l *Link) Mend() {
	l.change(func() {
		if l.holding {
			l.breakAll()
		}
		l.refusing, l.holding, l.delay = false, false, 0
	})
}

// Close ends the link and all its connections.
func (l *Link) Close() error {
	l.change(func() {
		l.closed, l.refusing = true, true
		l.breakAll()
	})
	err := l.listener.Close()
	l.serving.Wait()
	return err
}

func (l *Link) change(how func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	how()
	close(l.changed)
	l.changed = make(chan struct{})
}

func (l *Link) breakAll() {
	for conn := range l.conns {
		_ = conn.Close() // it is to be gone, and no more
	}
	clear(l.conns)
}

func (l *Link) accept() {
	for {
		conn, err := l.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue
		}
		l.serving.Go(func() { l.serve(conn) })
	}
}

func (l *Link) serve(near net.Conn) {
	defer func() { _ = near.Close() }() // whoever closed it first, it is closed
	far, err := net.Dial("tcp", l.target)
	if err != nil {
		return
	}
	defer func() { _ = far.Close() }() // as above
	if !l.admit(near, far) {
		return
	}
	defer l.forget(near, far)
	var copying sync.WaitGroup
	copying.Go(func() { l.pass(near, far) })
	copying.Go(func() { l.pass(far, near) })
	copying.Wait()
}

func (l *Link) admit(conns ...net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refusing {
		return false
	}
	for _, conn := range conns {
		l.conns[conn] = struct{}{}
	}
	return true
}

func (l *Link) forget(conns ...net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, conn := range conns {
		delete(l.conns, conn)
	}
}

// pass copies one direction until either end closes; then both are closed.
func (l *Link) pass(from, to net.Conn) {
	defer func() {
		_ = from.Close() // one direction is nothing to anybody
		_ = to.Close()
	}()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 && l.wait(from) {
			_, failed := to.Write(buffer[:n])
			err = errors.Join(err, failed)
		}
		if err != nil {
			return
		}
	}
}

// wait lets the delay pass, and holds for as long as the link does. It tells whether the
// connection is still there.
func (l *Link) wait(conn net.Conn) bool {
	var delayed <-chan time.Time
	for {
		l.mu.Lock()
		_, there := l.conns[conn]
		holding, delay, changed := l.holding, l.delay, l.changed
		l.mu.Unlock()
		if !there || !holding && delay == 0 {
			return there
		}
		if !holding && delayed == nil {
			delayed = time.After(delay)
		}
		select {
		case <-delayed:
			return true
		case <-changed:
		}
	}
}
