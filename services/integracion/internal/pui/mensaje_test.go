package pui

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/simulador/simuladortest"
)

func asJSON(t *testing.T, value any) any {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var read any
	err = json.Unmarshal(text, &read)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func TestNotificacionOf(t *testing.T) {
	fecha, _ := manual.ParseFecha("2025-03-04")
	nacimiento, _ := manual.ParseFecha("1956-04-27")
	full := entregas.Coincidencia{
		ReporteID: reporteID, Fase: manual.FaseHistorica,
		Persona: manual.Persona{
			CURP: curp, Nombre: "NOMBRE 2°", PrimerApellido: "D’AB", SegundoApellido: "123",
			FechaNacimiento: nacimiento, LugarNacimiento: "JALISCO", SexoAsignado: "H",
			Telefono: "+52 (55) 1234-5678", Correo: "alguien@example.mx",
			Domicilio: manual.Direccion{Calle: "CALLE & AV.", CodigoPostal: "0123", Numero: "5½"},
		},
		Evento: entregas.Evento{
			Tipo: "Entrega; de resultados", Fecha: fecha, DescripcionLugar: "Sucursal \"Centro\"",
			Direccion: manual.Direccion{EntidadFederativa: "CDMX"},
		},
	}
	persona := map[string]any{
		"curp":             curp,
		"nombre_completo":  map[string]any{"nombre": "NOMBRE o", "primer_apellido": "D'AB"},
		"fecha_nacimiento": "1956-04-27",
		"lugar_nacimiento": "VERACRUZ",
		"sexo_asignado":    "M",
		"telefono":         "525512345678",
		"correo":           "alguien@example.mx",
		"domicilio":        map[string]any{"calle": "CALLE y AV.", "numero": "5 1/2"},
		"id":               reporteID,
		"institucion_id":   empresa,
	}
	with := func(more map[string]any) map[string]any {
		for key, value := range persona {
			more[key] = value
		}
		return more
	}
	bare := full
	bare.Persona = manual.Persona{CURP: "SA06EIMBDR5OVM72NY", Correo: "sin arroba", Telefono: "123"}
	bare.Evento = entregas.Evento{Tipo: "検査", Fecha: fecha}
	basicos := full
	basicos.Fase = manual.FaseBasicos

	tests := []struct {
		name string
		c    entregas.Coincidencia
		want map[string]any
	}{
		{"phase 1 tells no event", basicos, with(map[string]any{"fase_busqueda": "1"})},
		{"phase 2", full, with(map[string]any{
			"fase_busqueda": "2", "tipo_evento": "Entrega, de resultados", "fecha_evento": "2025-03-04",
			"descripcion_lugar_evento": "Sucursal 'Centro'", "direccion_evento": map[string]any{"entidad_federativa": "CDMX"},
		})},
		{"only what cannot be left out", bare, map[string]any{
			"curp": "SA06EIMBDR5OVM72NY", "lugar_nacimiento": "DESCONOCIDO", "id": reporteID, "institucion_id": empresa,
			"fase_busqueda": "2", "tipo_evento": manual.TipoEventoNeutro, "fecha_evento": "2025-03-04",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := asJSON(t, notificacionOf(cuentas.Institucion{ID: empresa}, tt.c))
			if diff := cmp.Diff(any(tt.want), got); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
}

// The manual's §7.2: what the CURP tells is told, whatever was stored beside it.
func TestNotificacionOf_birthplaceAndSexFromTheCURP(t *testing.T) {
	for name, p := range map[string]manual.Persona{
		"nothing stored":          {CURP: curp},
		"stored against the CURP": {CURP: curp, LugarNacimiento: "JALISCO", SexoAsignado: "H"},
		"stored as unknown":       {CURP: curp, LugarNacimiento: manual.LugarDesconocido, SexoAsignado: "X"},
	} {
		n := notificacionOf(cuentas.Institucion{ID: empresa}, entregas.Coincidencia{Persona: p})
		if n.LugarNacimiento != "VERACRUZ" || n.SexoAsignado != "M" {
			t.Errorf("%s: birthplace %q, sex %q", name, n.LugarNacimiento, n.SexoAsignado)
		}
	}
	doubtful := manual.Persona{CURP: "SA06EIMBDR5OVM72NY", LugarNacimiento: "JALISCO", SexoAsignado: "X"}
	n := notificacionOf(cuentas.Institucion{ID: empresa}, entregas.Coincidencia{Persona: doubtful})
	if n.LugarNacimiento != "JALISCO" || n.SexoAsignado != "X" {
		t.Errorf("the CURP tells nothing: birthplace %q, sex %q", n.LugarNacimiento, n.SexoAsignado)
	}
}

// A record that is older than the gate at the entrance is told without what it should not say.
func TestNotificacionOf_noHealthData(t *testing.T) {
	c := entregas.Coincidencia{
		Fase:    manual.FaseContinua,
		Persona: manual.Persona{CURP: curp},
		Evento:  entregas.Evento{Tipo: "Prueba VIH: resultado positivo", DescripcionLugar: "Clínica de VIH", Direccion: manual.Direccion{Calle: "CALLE 5"}},
	}
	n := notificacionOf(cuentas.Institucion{ID: empresa}, c)
	if n.TipoEvento != manual.TipoEventoNeutro || n.DescripcionLugarEvento != "Clínica" || n.DireccionEvento.Calle != "CALLE 5" {
		t.Errorf("told %q at %q", n.TipoEvento, n.DescripcionLugarEvento)
	}
	c.Evento.DescripcionLugar, c.Evento.Direccion.Calle, c.Persona.Domicilio.Colonia = "VIH", "Pabellón de VIH", "SIDA"
	n = notificacionOf(cuentas.Institucion{TipoEventoNeutro: "Servicio al público"}, c)
	if n.TipoEvento != "Servicio al público" || n.DescripcionLugarEvento != "" || n.DireccionEvento.Calle != "Pabellón" || n.Domicilio.Colonia != "" {
		t.Errorf("told %q at %q, %q, of %q", n.TipoEvento, n.DescripcionLugarEvento, n.DireccionEvento.Calle, n.Domicilio.Colonia)
	}
	c.Evento.Tipo = manual.TipoEventoNeutro // as registros keeps it
	for neutro, want := range map[string]string{"": manual.TipoEventoNeutro, "Servicio al público": "Servicio al público", "Prueba de VIH": manual.TipoEventoNeutro} {
		n = notificacionOf(cuentas.Institucion{TipoEventoNeutro: neutro}, c)
		if n.TipoEvento != want {
			t.Errorf("with %q: told %q, want %q", neutro, n.TipoEvento, want)
		}
	}
	c.Evento.Tipo, c.Evento.DescripcionLugar = "Entrega de resultados", "Laboratorio Molecular"
	n = notificacionOf(cuentas.Institucion{ID: empresa}, c)
	if n.TipoEvento != "Entrega de resultados" || n.DescripcionLugarEvento != "Laboratorio Molecular" {
		t.Errorf("told %q at %q", n.TipoEvento, n.DescripcionLugarEvento)
	}
}

// TestClient_whateverIsStoredIsAccepted lets the simulator, whose reading of the manual is
// its own, judge what any text becomes.
func TestClient_whateverIsStoredIsAccepted(t *testing.T) {
	_, institucion := atSimulador(t)
	client := newClient(t, time.Minute)
	rapid.Check(t, func(rt *rapid.T) {
		c := anyCoincidencia(rt)
		d := client.NotifyCoincidencia(t.Context(), institucion, c)
		if d.Resultado != envio.Aceptado {
			rt.Fatalf("%s\nof %+v", d.Detalle, c)
		}
	})
}

// What older records say in the place of a state is not told as one.
func TestNotificacionOf_noStateThatIsNone(t *testing.T) {
	direccion := manual.Direccion{Calle: "CALLE 5", EntidadFederativa: "Entregado"}
	n := notificacionOf(cuentas.Institucion{ID: empresa}, entregas.Coincidencia{
		Fase: manual.FaseContinua, Persona: manual.Persona{CURP: curp, Domicilio: direccion},
		Evento: entregas.Evento{Tipo: "Toma de muestra", Direccion: direccion},
	})
	if want := (manual.Direccion{Calle: "CALLE 5"}); n.Domicilio != want || n.DireccionEvento != want {
		t.Errorf("got %+v and %+v, want %+v", n.Domicilio, n.DireccionEvento, want)
	}
}

func TestClient_finishIsAccepted(t *testing.T) {
	simulador, institucion := atSimulador(t)
	d := newClient(t, time.Minute).FinishBusqueda(t.Context(), institucion, entregas.Finalizacion{ReporteID: reporteID})
	recibidos := simulador.Received(simuladortest.Filtro{Ruta: simuladortest.RutaBusquedaFinalizada})
	if d.Resultado != envio.Aceptado || len(recibidos) != 1 {
		t.Errorf("outcome %+v with %d received", d, len(recibidos))
	}
}

func anyCoincidencia(rt *rapid.T) entregas.Coincidencia {
	text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[A-Za-zÀ-ÿ0-9 .,#'/:()°&"%;@<>-]{0,600}`))
	direccion := rapid.Custom(func(rt *rapid.T) manual.Direccion {
		return manual.Direccion{
			Direccion: text.Draw(rt, "direccion"), Calle: text.Draw(rt, "calle"), Numero: text.Draw(rt, "numero"),
			Colonia: text.Draw(rt, "colonia"), CodigoPostal: text.Draw(rt, "codigo_postal"),
			MunicipioOAlcaldia: text.Draw(rt, "municipio"), EntidadFederativa: text.Draw(rt, "entidad"),
		}
	})
	fecha, _ := manual.ParseFecha(rapid.SampledFrom([]string{"0001-01-01", "1999-12-31", "2024-02-29", "9999-12-31"}).Draw(rt, "fecha"))
	return entregas.Coincidencia{
		ReporteID: reporteID,
		Fase:      rapid.SampledFrom([]manual.Fase{1, 2, 3}).Draw(rt, "fase"),
		Persona: manual.Persona{
			CURP:   rapid.StringMatching(`[A-Z0-9]{18}`).Draw(rt, "curp"),
			Nombre: text.Draw(rt, "nombre"), PrimerApellido: text.Draw(rt, "primer"), SegundoApellido: text.Draw(rt, "segundo"),
			FechaNacimiento: fecha,
			LugarNacimiento: manual.Lugar(text.Draw(rt, "lugar")), SexoAsignado: manual.Sexo(text.Draw(rt, "sexo")),
			Telefono:  rapid.OneOf(text, rapid.StringMatching(`\+?[0-9 ()-]{0,20}`)).Draw(rt, "telefono"),
			Correo:    rapid.OneOf(text, rapid.StringMatching(`[a-zñ._%+-]{1,30}@[a-z.-]{1,20}\.[a-z]{1,5}`)).Draw(rt, "correo"),
			Domicilio: direccion.Draw(rt, "domicilio"),
		},
		Evento: entregas.Evento{
			Tipo: text.Draw(rt, "tipo"), Fecha: fecha,
			DescripcionLugar: text.Draw(rt, "descripcion"), Direccion: direccion.Draw(rt, "direccion_evento"),
		},
	}
}

// An event that does not say where it was took place at the institution's own site; one that
// says a part of it is told with that part alone, and phase 1 tells of no event.
func TestNotificacionOf_theInstitutionsOwnSite(t *testing.T) {
	i := cuentas.Institucion{ID: empresa, Sitio: cuentas.Sitio{Descripcion: "Sucursal Norte", Direccion: manual.Direccion{CodigoPostal: "06000"}}}
	c := entregas.Coincidencia{Fase: manual.FaseContinua, Persona: manual.Persona{CURP: curp}, Evento: entregas.Evento{Tipo: "Toma de muestra"}}
	n := notificacionOf(i, c)
	if n.DescripcionLugarEvento != "Sucursal Norte" || n.DireccionEvento != (manual.Direccion{CodigoPostal: "06000"}) {
		t.Errorf("told at %q, %+v", n.DescripcionLugarEvento, n.DireccionEvento)
	}
	c.Evento.Direccion.Calle = "CALLE 5"
	n = notificacionOf(i, c)
	if n.DescripcionLugarEvento != "" || n.DireccionEvento != (manual.Direccion{Calle: "CALLE 5"}) {
		t.Errorf("its own place: %q, %+v", n.DescripcionLugarEvento, n.DireccionEvento)
	}
	c.Fase, c.Evento = manual.FaseBasicos, entregas.Evento{}
	n = notificacionOf(i, c)
	if n.DescripcionLugarEvento != "" || !n.DireccionEvento.IsZero() {
		t.Errorf("phase 1: %q, %+v", n.DescripcionLugarEvento, n.DireccionEvento)
	}
}
