package cuentas

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/manual"
)

func placesOf(err error) []string {
	var refusal *errs.Error
	if !errors.As(err, &refusal) {
		return nil
	}
	var places []string
	for _, f := range refusal.Fields {
		places = append(places, f.Puntero+" "+f.Codigo)
	}
	return places
}

// All that is wrong with many is told at once, and none is added.
func TestEmpresas_Create_manyOrNone(t *testing.T) {
	store := newMemory()
	empresas := &Empresas{Store: store, Hasher: &plainHasher{}, Caja: plainCaja{}}
	_, err := empresas.Create(t.Context(), []NuevaEmpresa{
		{Empresa: Empresa{ID: empresaA, Nombre: "UNO"}}, {Empresa: Empresa{ID: empresaA, Nombre: "OTRA VEZ"}},
		{Empresa: Empresa{ID: "corto", Nombre: "", PUIURL: "http://pui"}},
		{Empresa: Empresa{ID: empresaB, Nombre: "DOS", Sitio: Sitio{Descripcion: "Laboratorio de VIH °", Direccion: manual.Direccion{CodigoPostal: "1"}}}},
	}, false)
	want := []string{
		"/empresas/1/id_empresa repetido", "/empresas/2/id_empresa formato", "/empresas/2/nombre requerido", "/empresas/2/pui_url formato",
		"/empresas/3/sitio/descripcion texto_no_admitido_por_la_plataforma", "/empresas/3/sitio/codigo_postal formato",
		"/empresas/3/sitio/descripcion dato_de_salud",
	}
	got := placesOf(err)
	if !slices.Equal(got, want) || len(store.empresas) != 0 {
		t.Errorf("got %v, %d added; want %v", got, len(store.empresas), want)
	}
	for _, many := range []int{0, MaxAltas + 1} {
		_, err = empresas.Create(t.Context(), make([]NuevaEmpresa, many), false)
		if !errs.Is(err, errores.Validacion) {
			t.Errorf("%d: %v", many, err)
		}
	}
}

func TestEmpresas_Create_simulated(t *testing.T) {
	store, hasher := newMemory(), &plainHasher{}
	empresas := &Empresas{Store: store, Hasher: hasher, Caja: plainCaja{}}
	altas, err := empresas.Create(t.Context(), []NuevaEmpresa{{Empresa: Empresa{ID: empresaA, Nombre: "UNO"}}}, true)
	if err != nil || len(altas) != 1 || altas[0].ID != empresaA || altas[0].Clave != "" || len(store.empresas) != 0 || hasher.done() != 0 {
		t.Errorf("got %+v, %v, %d added, %d hashed", altas, err, len(store.empresas), hasher.done())
	}
}

func TestEmpresas_Change(t *testing.T) {
	store := newMemory()
	empresas := &Empresas{Store: store, Hasher: &plainHasher{}, Caja: plainCaja{}}
	_, err := empresas.Create(t.Context(), []NuevaEmpresa{{Empresa: Empresa{ID: empresaA, Nombre: "UNO"}}}, false)
	if err != nil {
		t.Fatal(err)
	}
	sitio := Sitio{Descripcion: " Sucursal Centro "}
	e, err := empresas.Change(t.Context(), empresaA, CambioEmpresa{InstitucionID: "OTRO010101AB1", Sitio: sitio, TipoEventoNeutro: " Servicio "})
	if err != nil || e.InstitucionID != "OTRO010101AB1" || e.Sitio.Descripcion != "Sucursal Centro" || e.TipoEventoNeutro != "Servicio" {
		t.Errorf("changed %+v, %v", e, err)
	}
	for name, tt := range map[string]struct {
		cambio CambioEmpresa
		want   []string
	}{
		"nothing":      {CambioEmpresa{}, []string{" requerido"}},
		"blank":        {CambioEmpresa{Nombre: "  "}, []string{" requerido"}},
		"both ways":    {CambioEmpresa{Sitio: sitio, QuitarSitio: true}, []string{"/quitar_sitio valor_no_admitido"}},
		"of health":    {CambioEmpresa{TipoEventoNeutro: "Prueba de VIH"}, []string{"/tipo_evento_neutro dato_de_salud"}},
		"of signs":     {CambioEmpresa{TipoEventoNeutro: "--"}, []string{"/tipo_evento_neutro formato"}},
		"no text":      {CambioEmpresa{TipoEventoNeutro: "Servicio °"}, []string{"/tipo_evento_neutro formato"}},
		"no state":     {CambioEmpresa{Sitio: Sitio{Direccion: manual.Direccion{EntidadFederativa: "Marte", Calle: "VIH"}}}, []string{"/sitio/calle dato_de_salud", "/sitio/entidad_federativa valor_no_admitido"}},
		"no such id":   {CambioEmpresa{InstitucionID: "ñ"}, []string{"/institucion_id formato"}},
		"endless name": {CambioEmpresa{Nombre: strings.Repeat("A", 201)}, []string{"/nombre longitud"}},
	} {
		_, err := empresas.Change(t.Context(), empresaA, tt.cambio)
		if got := placesOf(err); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
	_, err = empresas.Change(t.Context(), "nadie", CambioEmpresa{Nombre: "N"})
	if !errs.Is(err, errores.NoEncontrado) {
		t.Errorf("nobody: %v", err)
	}
}
