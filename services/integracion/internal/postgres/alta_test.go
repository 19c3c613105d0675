package postgres

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

func nueva(id tenant.EmpresaID) cuentas.NuevaEmpresa {
	return cuentas.NuevaEmpresa{Empresa: cuentas.Empresa{ID: id, Nombre: "LABORATORIO", InstitucionID: string(id)}}
}

// One that is taken keeps all out, and so does a simulation.
func TestStore_CreateEmpresas_allOrNone(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	_, err := store.CreateEmpresas(t.Context(), []cuentas.NuevaEmpresa{nueva("NUEV010101AB1"), nueva(empresaA)}, false)
	wantMotivo(t, err, errores.Conflicto)
	created, err := store.CreateEmpresas(t.Context(), []cuentas.NuevaEmpresa{nueva("NUEV010101AB1")}, true)
	if err != nil || len(created) != 1 {
		t.Errorf("simulated %+v, %v", created, err)
	}
	_, err = store.GetEmpresa(t.Context(), "NUEV010101AB1")
	wantMotivo(t, err, errores.NoEncontrado)
	_, err = store.CreateEmpresas(t.Context(), []cuentas.NuevaEmpresa{nueva("NUEV010101AB1"), nueva("NUEV020202AB1")}, false)
	must(t, err)
}

// registros is told of those without an initial load, if they are added.
func TestStore_CreateEmpresas_sinCarga(t *testing.T) {
	t.Parallel()
	store, q := newStore(t)
	sin := nueva("NUEV010101AB1")
	sin.SinCarga = true
	for _, simular := range []bool{true, false} {
		_, err := store.CreateEmpresas(t.Context(), []cuentas.NuevaEmpresa{sin, nueva("NUEV020202AB1")}, simular)
		must(t, err)
		var want []tenant.EmpresaID
		if !simular {
			want = []tenant.EmpresaID{sin.ID}
		}
		if diff := cmp.Diff(want, q.sinCarga); diff != "" {
			t.Errorf("simulated %t (-want +got):\n%s", simular, diff)
		}
	}
}

func TestStore_ChangeEmpresa(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	sitio := cuentas.Sitio{Descripcion: "Sucursal Centro", Direccion: manual.Direccion{CodigoPostal: "06000"}}
	before, err := store.GetEmpresa(t.Context(), empresaA)
	must(t, err)
	e, err := store.ChangeEmpresa(t.Context(), empresaA, cuentas.CambioEmpresa{Nombre: "OTRO", Sitio: sitio, TipoEventoNeutro: "Servicio al público"})
	must(t, err)
	want := before
	want.Nombre, want.Sitio, want.TipoEventoNeutro = "OTRO", sitio, "Servicio al público"
	if diff := cmp.Diff(want, e); diff != "" {
		t.Errorf("changed (-want +got):\n%s", diff)
	}
	e, err = store.ChangeEmpresa(t.Context(), empresaA, cuentas.CambioEmpresa{QuitarSitio: true, PUIURL: "https://pui.example.mx"})
	if err != nil || !e.Sitio.IsZero() || e.PUIURL != "https://pui.example.mx" || e.Nombre != "OTRO" || e.TipoEventoNeutro != "Servicio al público" {
		t.Errorf("changed %+v, %v", e, err)
	}
	_, err = store.ChangeEmpresa(t.Context(), empresaA, cuentas.CambioEmpresa{InstitucionID: string(empresaB)})
	wantMotivo(t, err, errores.Conflicto)
	_, err = store.ChangeEmpresa(t.Context(), "NADA010101AB1", cuentas.CambioEmpresa{Nombre: "N"})
	wantMotivo(t, err, errores.NoEncontrado)

	var campos []any
	must(t, store.EachAsiento(t.Context(), empresaA, bitacora.FiltroAsientos{}, func(chunk []bitacora.Asiento) error {
		for _, a := range chunk {
			if a.Accion == "empresa_cambiada" {
				campos = append(campos, a.Datos["campos"])
			}
		}
		return nil
	}))
	if diff := cmp.Diff([]any{[]any{"nombre", "sitio", "tipo_evento_neutro"}, []any{"pui_url", "sitio"}}, campos); diff != "" {
		t.Errorf("the Bitácora says (-want +got):\n%s", diff)
	}
}

func TestStore_ListPanoramas_ticksTheSteps(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	must(t, store.SetClaveEntrada(t.Context(), empresaA, fingerprint('a')))
	_, err := store.CreateApiKey(t.Context(), cuentas.ApiKey{
		KeyID: "A1b2C3d4E5f6G7h8", EmpresaID: empresaA, Nombre: "la llave", Prefijo: "iis_x_A1b", Ambitos: []auth.Ambito{auth.AmbitoCliente},
	})
	must(t, err)
	must(t, store.TouchApiKey(t.Context(), empresaA, "A1b2C3d4E5f6G7h8"))
	all, err := store.ListPanoramas(t.Context(), "")
	if err != nil || len(all) != 2 {
		t.Fatalf("listed %+v, %v", all, err)
	}
	if p := all[0].Pasos; !p.ClaveEntrada || p.ClaveSalida || !p.Llave || !p.PrimerUso || p.PrimeraActivacionPrueba || p.PrimerReporte || all[0].LlavesActivas != 1 {
		t.Errorf("uno: %+v", all[0])
	}
	only, err := store.ListPanoramas(t.Context(), empresaB)
	if err != nil || len(only) != 1 || only[0].ID != empresaB || only[0].Pasos != (all[1].Pasos) || only[0].Pasos.Llave {
		t.Errorf("dos: %+v, %v", only, err)
	}
}
