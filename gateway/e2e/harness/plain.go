//go:build !race

package harness

const sharedFolder = "e2e"

// Flags are those of go with which a suite builds what it runs: as it was built itself.
var Flags []string
