// Package secreto keeps secrets at rest: encrypted where they must be readable again,
// argon2id for claves that people and the platform type, keyed hashes for values that are
// only compared. It implements the ports of the domain's secreto.go and holds no state but
// its keys.
package secreto
