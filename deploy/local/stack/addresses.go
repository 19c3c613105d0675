package stack

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/enlace-iis/enlace/deploy/local/port"
)

// Addresses are where the parts listen, all on 127.0.0.1.
type Addresses struct {
	// BaseURL is the gateway's, and SimuladorURL the simulated platform's; neither ends in a slash.
	BaseURL      string
	SimuladorURL string
	// GRPCRegistros and GRPCIntegracion are host:port.
	GRPCRegistros   string
	GRPCIntegracion string
	// Ops has the host:port of each part's operations port, by name.
	Ops map[string]string

	http      string
	simulador string
}

// CheckHTTPPort returns an error, text for a person, when the gateway could not listen on the port. 0 is always fine.
func CheckHTTPPort(number int) error {
	if number == 0 {
		return nil
	}
	err := port.Check(number)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("el puerto %d está en uso: elija otro con HTTP_PORT", number)
	}
	if err != nil {
		return fmt.Errorf("HTTP_PORT: %w", err)
	}
	return nil
}

func chooseAddresses(httpPort int, scheme string) (Addresses, error) {
	err := CheckHTTPPort(httpPort)
	if err != nil {
		return Addresses{}, err
	}
	var free [8]string
	for i := range free {
		number, err := port.Free()
		if err != nil {
			return Addresses{}, err
		}
		free[i] = port.Address(number)
	}
	a := Addresses{
		GRPCRegistros: free[0], GRPCIntegracion: free[1], simulador: free[2], http: free[3],
		Ops: map[string]string{Registros: free[4], Integracion: free[5], Simulador: free[6], Gateway: free[7]},
	}
	if httpPort != 0 {
		a.http = port.Address(httpPort)
	}
	a.BaseURL, a.SimuladorURL = scheme+"://"+a.http, "http://"+a.simulador
	return a, nil
}
