// Package port picks loopback ports for the processes of the local run.
//
// It owns the choice only; whoever asks elsewhere and listens first has the port.
package port

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
)

// The range lies under the ones from which Linux (32768) and macOS (49152) take the local ports of outgoing
// connections. Inside them a client that dials a stopped service over and over can be given that service's own port,
// connects to itself, and keeps the service from starting again.
const (
	lowest  = 20000
	highest = 32767
	tries   = 100
)

// ErrNone says that no free port was found.
var ErrNone = errors.New("no free port on 127.0.0.1")

// claims are kept until this process ends.
var claims struct {
	sync.Mutex
	held []net.PacketConn
}

// Free returns a port of 127.0.0.1 on which nobody listens, and claims it: as long as this process lives nobody else gets
// it here, also before whoever it is for listens. A claim is UDP's port of the same number, which nothing of ours uses.
func Free() (int, error) {
	for range tries {
		candidate := lowest + rand.IntN(highest-lowest+1) //nolint:gosec // a port is no secret
		claim, err := net.ListenPacket("udp", Address(candidate))
		if err != nil {
			continue
		}
		if Check(candidate) != nil {
			_ = claim.Close() // nothing was sent
			continue
		}
		claims.Lock()
		claims.held = append(claims.held, claim)
		claims.Unlock()
		return candidate, nil
	}
	return 0, ErrNone
}

// Check returns an error when somebody listens on the port of 127.0.0.1 already.
func Check(number int) error {
	listener, err := net.Listen("tcp", Address(number))
	if err != nil {
		return fmt.Errorf("listen on %s: %w", Address(number), err)
	}
	return listener.Close()
}

// Address returns the port's address on the loopback interface.
func Address(number int) string {
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(number))
}
