package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
)

// Each request of the platform leaves the one entry of how it was answered, also where the
// gateway asks about the credential before it reads the body: one of unknown length.
func TestBitacora_keepsWhatWasAnswered(t *testing.T) {
	t.Parallel()
	i, other := system.NewInstitucion(t), system.NewInstitucion(t)
	var session struct{ Token string }
	harness.Call(t, http.MethodPost, i.BaseURL+"/login", nil, map[string]string{"usuario": "PUI", "clave": i.Clave}).
		Want(t, http.StatusOK).Into(t, &session)
	valid := harness.Encode(t, map[string]any{"id": harness.ReporteID(31), "curp": harness.CurpUno})
	for _, step := range []struct {
		at     string
		body   []byte
		status int
	}{
		{"/activar-reporte", valid, 200},
		{"/activar-reporte", []byte("{"), 400},
		{"/activar-reporte", bytes.Repeat([]byte(" "), 2<<20), 413},
		{"/i/" + other.ID + "/activar-reporte", []byte("{"), 403},
	} {
		got := postInChunks(t, i.BaseURL+step.at, session.Token, step.body)
		if got != step.status {
			t.Errorf("%s with %d bytes: %d, want %d", step.at, len(step.body), got, step.status)
		}
	}

	var bitacora struct {
		Asientos []struct {
			Accion string
			Status *int
			Motivo *string
		}
	}
	system.Operate(t, "", &bitacora, "bitacora", "listar", "--id-empresa", i.ID)
	var got []string
	for _, a := range bitacora.Asientos {
		if a.Accion == "activar-reporte" {
			motivo := "-"
			if a.Motivo != nil {
				motivo = *a.Motivo
			}
			got = append(got, fmt.Sprint(*a.Status, " ", motivo))
		}
	}
	want := []string{"200 -", "400 json_invalido", "413 cuerpo_demasiado_grande", "403 sin_permiso"}
	if !slices.Equal(got, want) {
		t.Errorf("bitacora = %q, want %q", got, want)
	}
}

// What registros refuses for its credential is in the Bitácora too: many of a kind are one line.
func TestBitacora_keepsWhatRegistrosRefuses(t *testing.T) {
	t.Parallel()
	i := system.NewInstitucion(t)
	onlyEventos := system.IssueApiKey(t, &integracionv1.IssueApiKeyRequest{IdEmpresa: i.ID, Nombre: "eventos", Ambitos: []string{"eventos"}})
	for range 5 {
		harness.Call(t, http.MethodGet, i.BaseURL+"/cliente/casos", http.Header{"X-Api-Key": {onlyEventos.GetApiKey()}}, nil).Want(t, http.StatusForbidden)
	}
	harness.Eventually(t, "a line of the refusals", func() bool {
		var bitacora struct {
			Asientos []struct {
				Accion, Actor, Motivo string
				Status                int
			}
		}
		system.Operate(t, "", &bitacora, "bitacora", "listar", "--id-empresa", i.ID)
		lines := 0
		for _, a := range bitacora.Asientos {
			if a.Accion == "ListCasos" && a.Actor == onlyEventos.GetKeyId() && a.Motivo == "sin_permiso" && a.Status == http.StatusForbidden {
				lines++
			}
		}
		return lines == 1
	})
}

// postInChunks sends a body without saying how long it is.
func postInChunks(t *testing.T, url, token string, body []byte) (status int) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, io.MultiReader(bytes.NewReader(body)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	res, err := harness.HTTP.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	err = res.Body.Close()
	if err != nil {
		t.Error(err)
	}
	return res.StatusCode
}
