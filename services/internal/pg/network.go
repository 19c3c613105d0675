package pg

import (
	"errors"
	"io"
	"net"

	"github.com/jackc/puddle/v2"
)

var errClosed = puddle.ErrClosedPool

// isNetwork tells a connection that broke under us.
func isNetwork(err error) bool {
	_, isNet := errors.AsType[net.Error](err)
	return isNet || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}
