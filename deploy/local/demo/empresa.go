package demo

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// Empresa is a demo institution with its credentials.
type Empresa struct {
	ID             string
	Nombre         string
	ApiKey         string
	WebhookSecreto string
	// PuiClave is what the platform uses towards us.
	PuiClave string

	number int
}

// key returns the name under which a value of the institution is kept.
func (e Empresa) key(name string) string { return name + "_" + strconv.Itoa(e.number) }

// ensureEmpresa makes the institution and whatever of its credentials does not work, and connects it with the platform
// in both directions.
func (d *Demo) ensureEmpresa(ctx context.Context, e Empresa) (Empresa, error) {
	for _, step := range []func(context.Context, *Empresa) error{
		d.ensureExists, d.ensurePuiClave, d.ensureApiKey, d.connectPlataforma,
	} {
		err := step(ctx, &e)
		if err != nil {
			return Empresa{}, err
		}
	}
	return e, nil
}

func (d *Demo) ensureExists(ctx context.Context, e *Empresa) error {
	var known struct {
		Empresas []struct {
			IDEmpresa string `json:"id_empresa"`
		} `json:"empresas"`
	}
	err := d.operate(ctx, "", &known, "empresas", "listar")
	if err != nil {
		return err
	}
	for _, one := range known.Empresas {
		if one.IDEmpresa == e.ID {
			return nil
		}
	}
	return d.operate(ctx, "", nil, "empresas", "crear", "--id", e.ID, "--nombre", e.Nombre)
}

// ensurePuiClave keeps the clave of an earlier run when the platform could still log in with it.
func (d *Demo) ensurePuiClave(ctx context.Context, e *Empresa) error {
	e.PuiClave = d.system.Secrets.Get(e.key("PUI_CLAVE"))
	if e.PuiClave != "" {
		good, err := d.canLogIn(ctx, "/i/"+e.ID+"/login", "PUI", e.PuiClave)
		if err != nil || good {
			return err
		}
	}
	var made struct {
		Clave string `json:"clave"`
	}
	err := d.operate(ctx, "", &made, "claves", "entrada", "--id-empresa", e.ID)
	if err != nil {
		return err
	}
	e.PuiClave = made.Clave
	return d.system.Secrets.Set(e.key("PUI_CLAVE"), made.Clave)
}

// ensureApiKey keeps the key of an earlier run when it still opens the institution's routes.
func (d *Demo) ensureApiKey(ctx context.Context, e *Empresa) error {
	secrets := d.system.Secrets
	e.ApiKey, e.WebhookSecreto = secrets.Get(e.key("API_KEY")), secrets.Get(e.key("WEBHOOK_SECRETO"))
	if e.ApiKey != "" && e.WebhookSecreto != "" {
		status, err := d.http.post(ctx, d.system.BaseURL+"/cliente/sandbox/ping", e.header(), nil, nil)
		if err != nil {
			return err
		}
		good, err := accepted("/cliente/sandbox/ping", status)
		if err != nil || good {
			return err
		}
	}
	var made struct {
		ApiKey         string `json:"api_key"`
		SecretoWebhook string `json:"secreto_webhook"`
	}
	err := d.operate(ctx, "", &made, "api-keys", "emitir", "--id-empresa", e.ID, "--nombre", "demo",
		"--ambitos", "cliente,eventos")
	if err != nil {
		return err
	}
	e.ApiKey, e.WebhookSecreto = made.ApiKey, made.SecretoWebhook
	err = secrets.Set(e.key("API_KEY"), e.ApiKey)
	if err != nil {
		return err
	}
	return secrets.Set(e.key("WEBHOOK_SECRETO"), e.WebhookSecreto)
}

// connectPlataforma tells the institution's side and the platform's side of each other. It is done in every run: the
// simulator forgets everything with its process, and its port changes.
func (d *Demo) connectPlataforma(ctx context.Context, e *Empresa) error {
	url, clave := d.plataforma.BaseURL, d.plataforma.Clave
	if url == "" {
		var err error
		url = d.system.SimuladorURL
		clave, err = d.system.Secrets.Ensure(e.key("PUI_SALIDA_CLAVE"), rand.Text)
		if err != nil {
			return err
		}
		err = d.register(ctx, *e, clave)
		if err != nil {
			return err
		}
	}
	return d.operate(ctx, clave, nil, "claves", "salida", "--id-empresa", e.ID, "--url", url, "--clave-stdin")
}

func (e Empresa) header() http.Header { return http.Header{"X-Api-Key": {e.ApiKey}} }

// canLogIn tries a login at one of the login routes.
func (d *Demo) canLogIn(ctx context.Context, route, usuario, clave string) (bool, error) {
	body := map[string]string{"usuario": usuario, "clave": clave}
	status, err := d.http.post(ctx, d.system.BaseURL+route, nil, body, nil)
	if err != nil {
		return false, err
	}
	return accepted(route, status)
}

// operate runs an operator's command and reads its answer, unless answer is nil.
func (d *Demo) operate(ctx context.Context, stdin string, answer any, args ...string) error {
	output, err := d.system.Operator(ctx, stdin, args...)
	if err != nil {
		return err
	}
	if answer == nil {
		return nil
	}
	err = json.Unmarshal(output, answer)
	if err != nil {
		return fmt.Errorf("read answer of integracion %v: %w", args[:2], err)
	}
	return nil
}
