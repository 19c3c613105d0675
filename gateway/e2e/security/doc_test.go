//go:build security

// Package security looks at the sources and at the running system with the scanners of others,
// and leaves their reports and one of its own in .local/security-check: the evidence that the
// platform's manual asks for (pui.md S-30). A finding that is not dismissed, with its reason, in
// this package fails the run.
//
// The scanners are not on every machine and take minutes, so the suite has a build tag and its
// own command: make security-check.
package security
