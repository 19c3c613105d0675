package certs

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"

	"google.golang.org/grpc/credentials"
)

// fresh is what was read from files, read again once one of them has changed. It is safe
// for concurrent use.
type fresh[T any] struct {
	read  func() (T, error)
	files []string

	mu      sync.Mutex
	stamp   string
	current T
}

// newFresh reads for the first time, when all must be good.
func newFresh[T any](read func() (T, error), files ...string) (*fresh[T], error) {
	stamp := stampOf(files)
	current, err := read()
	if err != nil {
		return nil, err
	}
	return &fresh[T]{read: read, files: files, stamp: stamp, current: current}, nil
}

func (f *fresh[T]) latest() T {
	f.mu.Lock()
	defer f.mu.Unlock()

	stamp := stampOf(f.files)
	if stamp == f.stamp {
		return f.current
	}
	current, err := f.read()
	if err != nil {
		slog.Error("certificates changed but cannot be read; the last ones stay", "error", err)
		return f.current
	}
	f.stamp, f.current = stamp, current
	return current
}

// stampOf changes whenever one of the files does. A link counts as what it leads to, for
// that is how Kubernetes replaces secrets.
func stampOf(files []string) string {
	var stamp strings.Builder
	for _, path := range files {
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		fmt.Fprintf(&stamp, "%s %d %d\n", path, info.ModTime().UnixNano(), info.Size())
	}
	return stamp.String()
}

// reloading takes each handshake with the latest files.
type reloading struct {
	credentials.TransportCredentials // the first ones, for what never changes

	current *fresh[credentials.TransportCredentials]
}

func newReloading(files Files, trust func(*tls.Config, *x509.CertPool)) (*reloading, error) {
	current, err := newFresh(func() (credentials.TransportCredentials, error) {
		config, err := files.config(trust)
		if err != nil {
			return nil, err
		}
		return credentials.NewTLS(config), nil
	}, files.Cert, files.Key, files.Authorities)
	if err != nil {
		return nil, err
	}
	return &reloading{TransportCredentials: current.current, current: current}, nil
}

func (r *reloading) ClientHandshake(ctx context.Context, authority string, conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return r.current.latest().ClientHandshake(ctx, authority, conn)
}

func (r *reloading) ServerHandshake(conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return r.current.latest().ServerHandshake(conn)
}

// Clone shares the receiver: gRPC never changes credentials after it has cloned them.
func (r *reloading) Clone() credentials.TransportCredentials {
	return r
}
