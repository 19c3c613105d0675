package evidencia

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/seguimiento"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

const empresa tenant.EmpresaID = "LAB010101AB1"

// cadena is a sealed chain in memory.
type cadena struct{ sello bitacora.Sello }

func (c *cadena) Seal(context.Context, tenant.EmpresaID) (bool, error) { return true, nil }

func (c *cadena) Count(context.Context, tenant.EmpresaID) (asientos, encadenados int64, err error) {
	return c.sello.Ultimo(), c.sello.Ultimo(), nil
}

func (c *cadena) FindTramo(context.Context, tenant.EmpresaID, bitacora.Periodo) (primero, ultimo int64, err error) {
	return 3, c.sello.Ultimo(), nil
}

func (c *cadena) ReadSellos(context.Context, tenant.EmpresaID, int64) ([]bitacora.Sello, error) {
	return []bitacora.Sello{c.sello}, nil
}

// registros tells of some searches and matches.
type registros struct{}

var inicio = time.Date(2026, 3, 1, 12, 0, 0, 123456000, time.UTC)

func (registros) EachBusqueda(_ context.Context, _ tenant.EmpresaID, _ seguimiento.FiltroHallazgos, yield func([]seguimiento.Busqueda) error) error {
	return yield([]seguimiento.Busqueda{
		{ID: uuid.NewString(), ReporteID: "R-1", Ciclo: 1, Fase: "1", EjecutadaEn: inicio, Registros: 2, Coincidencias: 1},
		{ID: uuid.NewString(), ReporteID: "R-1", Ciclo: 1, Fase: "2", EjecutadaEn: inicio.Add(time.Second)},
	})
}

func (registros) EachHallazgo(_ context.Context, _ tenant.EmpresaID, _ seguimiento.FiltroHallazgos, yield func([]seguimiento.Hallazgo) error) error {
	return yield([]seguimiento.Hallazgo{{ID: uuid.NewString(), ReporteID: "R-1", Ciclo: 1, Fase: "1", Estado: "notificada", DetectadaEn: inicio, NotificadaEn: inicio.Add(time.Minute)}})
}

// memoria takes a file.
type memoria struct {
	bytes.Buffer
	escritas, total int64
}

func (m *memoria) Avance(escritas, total int64) { m.escritas, m.total = escritas, total }

func llaves(t *testing.T, seeds ...string) Llaves {
	t.Helper()
	var texts []string
	for _, seed := range seeds {
		texts = append(texts, base64.StdEncoding.EncodeToString([]byte(strings.Repeat(seed, 32)[:32])))
	}
	all, err := ParseLlaves(texts)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// export writes evidence of entries 3 to 12 of a chain.
func export(t *testing.T, formato string) string {
	t.Helper()
	var asientos []bitacora.Asiento
	for n := range 12 {
		a := bitacora.Asiento{
			ID: uuid.New(), EmpresaID: empresa, OcurridoEn: inicio.Add(time.Duration(n) * time.Second), Tipo: bitacora.AsientoSolicitud,
			Accion: bitacora.AccionActivar, Actor: "PUI", RequestID: `=cmd|"x",<b>á\u2028` + fmt.Sprint(n), ReporteID: "R-1",
		}
		if n%2 == 0 {
			a.Status, a.Duracion, a.HuellaCURP, a.Datos = 200, 12*time.Millisecond, []byte("huella"), map[string]any{"fase": "1", "n": n, "<": "'&"}
		}
		asientos = append(asientos, a)
	}
	x := &Exportacion{
		Cadena: &bitacora.Cadena{Store: &cadena{bitacora.Seal(bitacora.Hash{}, 1, asientos)}}, Registros: registros{},
		Llaves: llaves(t, "a", "b"), Programa: "v1.2.3", Now: func() time.Time { return inicio },
	}
	chosen, err := FormatoOf(formato)
	if err != nil {
		t.Fatal(err)
	}
	var out memoria
	pedido := Pedido{Empresa: cuentas.Empresa{ID: empresa, Nombre: "Laboratorio \"Uno\" & <Dos>"}, Formato: chosen, Periodo: bitacora.Periodo{Desde: inicio}}
	err = x.Export(t.Context(), pedido, &out)
	if err != nil {
		t.Fatal(err)
	}
	if out.total != 10 || out.escritas != 13 {
		t.Errorf("progress ended at %d of %d, want 13 of 10", out.escritas, out.total)
	}
	return out.String()
}

func verify(file string, llave Publica) (Comprobada, error) {
	return Verify(strings.NewReader(file), llave, func(int64, int64) {})
}

func TestVerify_whatWasExported(t *testing.T) {
	for _, formato := range []string{"jsonl", "csv"} {
		file := export(t, formato)
		for _, llave := range []Publica{nil, llaves(t, "a").Publicas()[0]} {
			got, err := verify(file, llave)
			if err != nil {
				t.Fatalf("%s: %v\n%s", formato, err, file)
			}
			if got.IDEmpresa != string(empresa) || got.Asientos != 10 || got.Hallazgos != 3 || got.Primero != 3 || got.Ultimo != 12 ||
				got.Programa != "v1.2.3" || got.Desde == nil || got.Hasta != nil || got.LlaveID != llaves(t, "a").Publicas()[0].ID() {
				t.Errorf("%s: %+v", formato, got)
			}
		}
	}
}

// A request id is whatever its client chose; a spreadsheet must not run it.
func TestCSV_noFormulas(t *testing.T) {
	for _, texto := range []string{"=1", "+1", "-1", "@x", "\tx", "'=1", "'"} {
		if got := cell(texto); !strings.HasPrefix(got, "'") || uncell(got) != texto {
			t.Errorf("%q is written %q", texto, got)
		}
	}
	if !strings.Contains(export(t, "csv"), `,"'=cmd|""x"",`) {
		t.Error("the request id is not quoted")
	}
}

func TestHTML_isAPage(t *testing.T) {
	page := export(t, "html")
	for _, want := range []string{
		"<!DOCTYPE html>", `<html lang="es">`, "Evidencia de Laboratorio &#34;Uno&#34; &amp; &lt;Dos&gt;", "desde 2026-03-01 06:00:00, hasta que se generó",
		"por Enlace v1.2.3", "3 a 12 de su cadena", "Búsquedas y coincidencias</h2>", "Bitácora</h2>", llaves(t, "a").Publicas()[0].String()[:8], "</html>",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Contains(page, "<b>") || strings.Count(page, "<table>") != 2 || strings.Count(page, "</table>") != 2 {
		t.Errorf("the page is not well formed:\n%s", page)
	}
	_, err := verify(page, nil)
	if !errs.Is(err, errores.Validacion) {
		t.Errorf("verified: %v", err)
	}
}

func TestParseLlaves_refuses(t *testing.T) {
	for _, text := range []string{"", "corta", base64.StdEncoding.EncodeToString(make([]byte, 31))} {
		_, err := ParseLlaves([]string{text})
		if err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

func TestParsePublica(t *testing.T) {
	publica := llaves(t, "a").Publicas()[0]
	pem, err := publica.PEM()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{publica.String() + "\n", pem} {
		got, ok := ParsePublica(text)
		if !ok || got.ID() != publica.ID() {
			t.Errorf("%q is read as %s", text, got)
		}
	}
	for _, text := range []string{"", "x", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"} {
		if _, ok := ParsePublica(text); ok {
			t.Errorf("%q was taken", text)
		}
	}
}
