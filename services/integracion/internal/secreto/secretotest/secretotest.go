// Package secretotest makes the keys of tests.
package secretotest

import (
	"crypto/rand"
	"encoding/base64"
)

// NewKey makes a key of ENCRYPTION_KEYS.
func NewKey(id string) string {
	var key [32]byte
	_, _ = rand.Read(key[:]) // it never fails, by its contract
	return id + ":" + base64.StdEncoding.EncodeToString(key[:])
}
