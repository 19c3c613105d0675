package postgres_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/jobs"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/pgtest"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/postgres"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

const (
	empresaUno tenant.EmpresaID = "LAB010101AB1"
	empresaDos tenant.EmpresaID = "LAB020202CD2"

	curpUno = "PEXA900115HDFRXN06"
	curpDos = "LOXM851203MQTPXR00"

	reporteUno = "A1B2C3D4E5F6-550e8400-e29b-41d4-a716-446655440000"
)

// activacion is when the Casos of these tests are activated: noon of a day in Mexico City.
var activacion = time.Date(2026, 6, 15, 18, 0, 0, 0, time.UTC)

// bundle is a Store on its own database, with a queue that enqueues and does not work.
type bundle struct {
	store    *postgres.Store
	db       *pg.DB
	admin    *pgx.Conn
	database pgtest.Database
}

// setup makes one with the load of both institutions finished.
func setup(t *testing.T) bundle {
	t.Helper()
	b := setupLoading(t)
	_, err := b.admin.Exec(t.Context(), `INSERT INTO cargas (empresa_id, corte) VALUES ($1, 0), ($2, 0)`, string(empresaUno), string(empresaDos))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// setupLoading makes one whose institutions are as new.
func setupLoading(t *testing.T) bundle {
	t.Helper()
	db, database := pgtest.Open(t, postgres.Migrations)
	client, err := jobs.NewClient(db, jobs.Config{})
	if err != nil {
		t.Fatal(err)
	}
	admin, err := pgx.Connect(t.Context(), database.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = admin.Close(context.Background()) })
	store := postgres.NewStore(db, &postgres.RiverQueue{Client: client})
	return bundle{store: store, db: db, admin: admin, database: database}
}

// pasos takes the steps of deliveries as a worker does whose job somebody else ends.
func (b bundle) pasos() postgres.Pasos {
	return postgres.Pasos{Store: b.store}
}

// count asks, past row-level security, how many rows fulfil a condition.
func (b bundle) count(t *testing.T, from string, args ...any) int {
	t.Helper()
	var n int
	err := b.admin.QueryRow(t.Context(), `SELECT count(*) FROM `+from, args...).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// newRegistro is a Registro on the day before the activation; change may alter it.
func newRegistro(folio string, change func(*registros.Registro)) registros.Registro {
	r := registros.Registro{
		Folio:       registros.Folio(folio),
		TipoEvento:  "Toma de muestra",
		FechaEvento: fecha("2026-06-14"),
		Persona: manual.Persona{
			CURP:   curpUno,
			Nombre: "NOMBRE",
		},
	}
	if change != nil {
		change(&r)
	}
	return r
}

func fecha(text string) manual.Fecha {
	f, ok := manual.ParseFecha(text)
	if !ok {
		panic("not a date: " + text)
	}
	return f
}

func (b bundle) save(t *testing.T, empresa tenant.EmpresaID, regs ...registros.Registro) registros.Guardado {
	t.Helper()
	guardado, err := b.store.SaveLote(t.Context(), empresa, registros.LoteRecibido{}, validos(regs...))
	if err != nil {
		t.Fatal(err)
	}
	return guardado
}

func validos(regs ...registros.Registro) []registros.RegistroValido {
	all := make([]registros.RegistroValido, len(regs))
	for i, r := range regs {
		all[i] = registros.RegistroValido{Indice: i, Registro: r}
	}
	return all
}

// newReporte is a Reporte of the first person, missing since spring.
func newReporte(change func(*registros.Reporte)) registros.Reporte {
	r := registros.Reporte{
		ID:                reporteUno,
		Ciclo:             1,
		ActivadoEn:        activacion,
		FechaDesaparicion: fecha("2026-04-01"),
		Persona:           manual.Persona{CURP: curpUno},
	}
	if change != nil {
		change(&r)
	}
	return r
}

// open opens the Caso of a Reporte and runs its search.
func (b bundle) open(t *testing.T, empresa tenant.EmpresaID, r registros.Reporte) registros.CasoID {
	t.Helper()
	id, err := b.store.OpenCaso(t.Context(), empresa, r)
	if err != nil {
		t.Fatal(err)
	}
	b.search(t, empresa, id)
	return id
}

// search goes on with the search of a Caso until nothing is left.
func (b bundle) search(t *testing.T, empresa tenant.EmpresaID, id registros.CasoID) {
	t.Helper()
	for left := true; left; {
		var err error
		left, err = b.store.SearchCaso(t.Context(), empresa, id)
		if err != nil {
			t.Fatal(err)
		}
	}
}

// told takes every step of a Caso as accepted and writes them down as "fase:folio" and
// "fin", in order.
func (b bundle) told(t *testing.T, empresa tenant.EmpresaID, caso registros.CasoID) []string {
	t.Helper()
	var steps []string
	for {
		paso, err := b.pasos().NextPaso(t.Context(), empresa, caso)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case paso.Finish != nil:
			steps = append(steps, "fin")
		case paso.Coincidencia != nil:
			c := paso.Coincidencia
			steps = append(steps, strconv.Itoa(int(c.Fase))+":"+string(c.Registro.Folio))
		default:
			return steps
		}
		_, err = b.pasos().RecordPaso(t.Context(), empresa, caso, paso, envio.Respuesta{Resultado: envio.Aceptado})
		if err != nil {
			t.Fatal(err)
		}
	}
}
