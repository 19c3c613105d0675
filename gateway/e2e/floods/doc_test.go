// Package floods sends the built system, with the memory that the shipped manifests give each
// program, the largest requests that it allows, faster than it can take them, and holds that
// a quiet institution does not notice and no program outgrows its pod. It tests; nothing
// imports it.
//
// The programs are built without the race detector, which multiplies their memory. Every
// sender has an address of its own, as behind a trusted proxy.
package floods
