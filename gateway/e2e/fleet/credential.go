//go:build linux

package fleet

import (
	"net/http"
	"sync"
)

// credential is what one of the callers shows. It is held for reading during each request,
// so that once it has changed nobody is under way with the old one.
type credential struct {
	scheme string // of the Authorization header; empty for an API key

	mu    sync.RWMutex
	value string
}

func (c *credential) header() http.Header {
	if c.scheme == "" {
		return http.Header{"X-Api-Key": {c.value}}
	}
	return http.Header{"Authorization": {c.scheme + " " + c.value}}
}

func (c *credential) change(fresh func() string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.value = fresh()
	return c.value
}

// UseKey has the institution show another key from now on.
func (l *Load) UseKey(key string) {
	l.Institucion.ApiKey = l.key.change(func() string { return key })
}

// LogIn has the platform and the operator show new tokens from now on, and gives the
// platform's.
func (l *Load) LogIn() string {
	l.operador.change(l.loginOperador)
	return l.platform.change(l.loginPUI)
}

// ChangeClave is the moment agreed on with the platform: it waits while change makes its new
// clave, and logs in with that.
func (l *Load) ChangeClave(change func() string) {
	l.platform.change(func() string {
		l.Institucion.Clave = change()
		return l.loginPUI()
	})
}
