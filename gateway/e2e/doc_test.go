// Package e2e drives the built programs over their public faces, as an institution, the
// platform and an operator would: the real gateway, both services, PostgreSQL and the
// platform's simulator, started once for all tests. The programs are built with the race
// detector; one that finds a race dies, and fails the run.
//
// Every test makes its own institution, so tests run side by side.
package e2e
