// Package rotation changes every secret of the built system, step by step as docs/operations.md's
// chapter on them says, while a client asks without pause. It holds that no request fails
// that the chapter promises not to, that nothing is lost, and that the old secret is of no
// use afterwards. It tests; nothing imports it.
package rotation
