package crash

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"
)

// limit bounds every wait, and brief is how long nothing is waited for.
const (
	limit = 30 * time.Second
	brief = 100 * time.Millisecond
)

// newLink makes a link to somebody who says back whatever he is told.
func newLink(t *testing.T) *Link {
	t.Helper()
	echo, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			conn, err := echo.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(conn, conn) }()
		}
	}()
	link, err := NewLink("127.0.0.1:0", echo.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := errors.Join(link.Close(), echo.Close())
		if err != nil {
			t.Error(err)
		}
	})
	return link
}

func dial(t *testing.T, link *Link) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", link.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// say sends a word and gives what became of it.
func say(t *testing.T, conn net.Conn, patience time.Duration) error {
	t.Helper()
	_, err := conn.Write([]byte("palabra"))
	if err != nil {
		return err
	}
	err = conn.SetReadDeadline(time.Now().Add(patience))
	if err != nil {
		t.Fatal(err)
	}
	var heard [7]byte
	_, err = io.ReadFull(conn, heard[:])
	return err
}

func wantHeard(t *testing.T, conn net.Conn) {
	t.Helper()
	err := say(t, conn, limit)
	if err != nil {
		t.Fatalf("nothing came back: %v", err)
	}
}

func TestLink_cutBreaksAndRefusesUntilMended(t *testing.T) {
	link := newLink(t)
	conn := dial(t, link)
	wantHeard(t, conn)
	link.Cut()
	for name, broken := range map[string]net.Conn{"an open connection": conn, "a new one": dial(t, link)} {
		err := say(t, broken, limit)
		if err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s goes on: %v", name, err)
		}
	}
	link.Mend()
	wantHeard(t, dial(t, link))
}

func TestLink_holdIsSilentAndLosesWhatItHeld(t *testing.T) {
	link := newLink(t)
	conn := dial(t, link)
	wantHeard(t, conn)
	link.Hold()
	err := say(t, conn, brief)
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a held link answered, or broke: %v", err)
	}
	link.Mend()
	err = say(t, conn, limit)
	if err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("what was held was delivered: %v", err)
	}
	wantHeard(t, dial(t, link))
}

func TestLink_slowDelays(t *testing.T) {
	link := newLink(t)
	conn := dial(t, link)
	wantHeard(t, conn)
	link.Slow(time.Hour)
	err := say(t, conn, brief)
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("nothing was delayed: %v", err)
	}
	// What was late is delivered once nothing is.
	link.Mend()
	wantHeard(t, conn)
}
