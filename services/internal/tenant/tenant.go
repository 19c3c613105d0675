// Package tenant names the institution that a piece of data belongs to. It imports
// nothing of ours, so that every layer can speak of it.
package tenant

// EmpresaID is the institution's RFC with homoclave, the first column of every key. It is
// a type of its own so that no other text can take its place by mistake.
type EmpresaID string
