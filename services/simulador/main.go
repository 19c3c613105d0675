// Command simulador is the national platform's stand-in: it answers institutions
// as the manual's §7 says, judges what they send, calls them as its §8 says, and
// shows faults on demand. For tests, for the local run and for an institution's
// own trials; never for production, for its control routes have no credential.
package main

import "github.com/enlace-iis/enlace/services/process"

func main() {
	process.Main("simulador", run)
}
