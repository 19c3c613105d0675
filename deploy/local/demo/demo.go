// Package demo fills a running system with two institutions that a person, a script or a test can use at once.
//
// It owns which institutions those are and the sample that shows a match; it does everything through the ways that an
// operator, an institution and the platform have (the operator's commands, the HTTP routes, the simulator), never
// through a database. All of it may be repeated: what an earlier run made is kept as long as it still works, and made
// anew when it does not, so that a kept folder and a dropped database still fit together.
package demo

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/enlace-iis/enlace/deploy/local/envfile"
)

// System is what the demonstration needs to know of the running system.
type System struct {
	BaseURL      string
	SimuladorURL string
	// Operator runs a command of the integracion binary and returns its JSON answer. It keeps the session that one of
	// them opens.
	Operator func(ctx context.Context, stdin string, args ...string) ([]byte, error)
	// Secrets keeps keys and claves from run to run.
	Secrets *envfile.Store
}

// Plataforma is where notifications go; the zero value is the bundled simulator.
type Plataforma struct {
	BaseURL string
	// Clave is what both institutions use towards it.
	Clave string
}

// Demo is the prepared demonstration.
type Demo struct {
	Empresas [2]Empresa
	Operador Operador

	system     System
	plataforma Plataforma
	http       client
}

// institutions are the two, by RFC.
var institutions = [2]Empresa{
	{ID: "LAB010101AB1", Nombre: "Laboratorio Demo 1", number: 1},
	{ID: "LAB020202CD2", Nombre: "Laboratorio Demo 2", number: 2},
}

// healthLimit is how long the whole system may take to be well after its parts said they were ready.
const healthLimit = 30 * time.Second

// Prepare makes the institutions with their credentials in both directions, and the operator.
func Prepare(ctx context.Context, system System, plataforma Plataforma) (*Demo, error) {
	d := &Demo{system: system, plataforma: plataforma, http: newClient()}
	err := d.awaitHealth(ctx)
	if err != nil {
		return nil, err
	}
	d.Operador, err = d.ensureOperador(ctx)
	if err != nil {
		return nil, fmt.Errorf("prepare operator: %w", err)
	}
	err = d.operate(ctx, d.Operador.Clave, nil, "sesion", "abrir", "--usuario", d.Operador.Usuario, "--clave-stdin")
	if err != nil {
		return nil, fmt.Errorf("open session: %w", err)
	}
	for i, empresa := range institutions {
		d.Empresas[i], err = d.ensureEmpresa(ctx, empresa)
		if err != nil {
			return nil, fmt.Errorf("prepare institution %s: %w", empresa.ID, err)
		}
	}
	return d, nil
}

func (d *Demo) awaitHealth(ctx context.Context) error {
	err := poll(ctx, healthLimit, func() (bool, error) {
		status, err := d.http.get(ctx, d.system.BaseURL+"/health", nil, nil)
		return err == nil && status == 200, nil
	})
	if err != nil {
		return fmt.Errorf("wait for /health: %w", err)
	}
	return nil
}

// Entries returns what scripts get to know of the institutions and the operator.
func (d *Demo) Entries() []envfile.Entry {
	entries := []envfile.Entry{
		{Key: "OPERADOR_USUARIO", Value: d.Operador.Usuario},
		{Key: "OPERADOR_CLAVE", Value: d.Operador.Clave},
	}
	for _, empresa := range d.Empresas {
		suffix := "_" + strconv.Itoa(empresa.number)
		entries = append(entries,
			envfile.Entry{Key: "ID_EMPRESA" + suffix, Value: empresa.ID},
			envfile.Entry{Key: "API_KEY" + suffix, Value: empresa.ApiKey},
			envfile.Entry{Key: "WEBHOOK_SECRETO" + suffix, Value: empresa.WebhookSecreto},
			envfile.Entry{Key: "PUI_CLAVE" + suffix, Value: empresa.PuiClave},
		)
	}
	return entries
}

const pollInterval = 200 * time.Millisecond

// poll asks until the condition holds, it fails for good, or the time is up.
func poll(ctx context.Context, limit time.Duration, condition func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		holds, err := condition()
		if err != nil || holds {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pollInterval):
		}
	}
}
