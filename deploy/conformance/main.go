// Command conformance examines the base URL of an institution before it is registered with the
// national platform; see package inbound. It reads BASE_URL and CLAVE, and from the
// environment only, so that no list of processes shows the clave. ACTIVACION_REAL=si also
// activates and deactivates a report. The exit code is 1 if anything does not hold that the manual
// demands, 2 if it could not be asked; what only our reading demands is a warning.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/enlace-iis/enlace/deploy/conformance/inbound"
)

func main() {
	os.Exit(run())
}

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	results, err := inbound.Run(ctx, inbound.Objetivo{
		BaseURL: os.Getenv("BASE_URL"), Clave: os.Getenv("CLAVE"), Real: os.Getenv("ACTIVACION_REAL") == "si",
		OtraBaseURL: os.Getenv("OTRA_BASE_URL"), OtraClave: os.Getenv("OTRA_CLAVE"),
	})
	fmt.Print(inbound.Tabla(results))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	if inbound.Incumplidas(results) > 0 {
		return 1
	}
	return 0
}
