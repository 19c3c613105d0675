package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// register makes the simulated platform know the institution: with which clave it comes, and where and how the platform
// reaches it.
func (d *Demo) register(ctx context.Context, e Empresa, clave string) error {
	route := "/control/instituciones/" + e.ID
	status, err := d.http.do(ctx, http.MethodPut, d.system.SimuladorURL+route, nil, map[string]string{
		"clave": clave, "url_base": d.system.BaseURL + "/i/" + e.ID, "clave_institucion": e.PuiClave,
	}, nil)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return unexpected(route, status)
	}
	return nil
}

// activate has the simulated platform send a report to the institution.
func (d *Demo) activate(ctx context.Context, e Empresa, report any) error {
	route := "/control/instituciones/" + e.ID + "/activar"
	var answer struct {
		Status int             `json:"status"`
		Cuerpo json.RawMessage `json:"cuerpo"`
	}
	status, err := d.http.post(ctx, d.system.SimuladorURL+route, nil, report, &answer)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return unexpected(route, status)
	}
	if answer.Status != http.StatusOK {
		return fmt.Errorf("activate report: the institution's route answered %d: %s", answer.Status, answer.Cuerpo)
	}
	return nil
}
