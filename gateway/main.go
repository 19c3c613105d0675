// Command gateway is the public HTTP side of Enlace: it translates JSON over HTTP into the
// services' RPCs and back, and decides nothing else. It keeps no state; any number of
// replicas may run.
package main

import "github.com/enlace-iis/enlace/services/process"

func main() {
	process.Main("gateway", run)
}
