package auth

import (
	"fmt"

	"github.com/golang-jwt/jwt/v5"
)

// minSecret is the shortest secret in bytes: the size of the hash (RFC 7518, 3.2).
const minSecret = 32

// Secrets are the values of a secret that signs tokens: one, or several while it is being
// changed. The first signs and all are accepted, so nobody is refused on the way: first
// every process learns to accept the new one ("old,new"), then it signs ("new,old"), then
// the old one is forgotten.
type Secrets []string

// Check returns an error that names the secret, unless there is one and all are long enough.
func (s Secrets) Check(name string) error {
	if len(s) == 0 {
		return fmt.Errorf("%s is missing", name)
	}
	for _, secret := range s {
		if len(secret) < minSecret {
			return fmt.Errorf("%s must have at least %d bytes", name, minSecret)
		}
	}
	return nil
}

// Signing is the key that signs.
func (s Secrets) Signing() []byte { return []byte(s[0]) }

// Accepted are the keys of which one must have signed, for package jwt.
func (s Secrets) Accepted() jwt.VerificationKeySet {
	var set jwt.VerificationKeySet
	for _, secret := range s {
		set.Keys = append(set.Keys, []byte(secret))
	}
	return set
}
