package postgres_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/jobs"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/pgtest"
	"github.com/enlace-iis/enlace/services/registros/internal/postgres"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// seedRows is what stands in the tables before a batch is measured.
const (
	seedRegistros = 200_000
	seedCasos     = 20_000
)

// BenchmarkStore_SaveLote writes batches of new records, a hundredth of which match an open Caso,
// into tables that are not empty.
func BenchmarkStore_SaveLote(b *testing.B) {
	db, database := pgtest.Open(b, postgres.Migrations)
	seed(b, database.AdminURL)
	client, err := jobs.NewClient(db, jobs.Config{})
	if err != nil {
		b.Fatal(err)
	}
	store := postgres.NewStore(db, &postgres.RiverQueue{Client: client})
	batch := 0
	for _, total := range []int{1, 500, 5000} {
		b.Run(strconv.Itoa(total), func(b *testing.B) {
			for b.Loop() {
				batch++
				regs := make([]registros.Registro, total)
				for i := range regs {
					regs[i] = newRegistro(fmt.Sprintf("B%d-%d", batch, i), func(r *registros.Registro) {
						r.CURP = fmt.Sprintf("SEED%014d", personOf(batch*5000+i+1))
						r.PrimerApellido, r.SegundoApellido = "PRIMERO", "SEGUNDO"
						r.Domicilio = manual.Direccion{Calle: "Calle Uno", Numero: "1", Colonia: "Centro", CodigoPostal: "06000"}
					})
				}
				_, err := store.SaveLote(b.Context(), empresaUno, registros.LoteRecibido{ID: pg.NewID(), KeyID: "K", Total: len(regs)}, validos(regs...))
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// personOf spreads records over the seeded persons; of a hundred, one has an open Caso.
func personOf(n int) int {
	person := n * 7919 % seedRegistros
	if n%100 == 0 {
		return person / 10 * 10
	}
	return person | 1
}

func seed(b *testing.B, adminURL string) {
	b.Helper()
	conn, err := pgx.Connect(b.Context(), adminURL)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	_, err = conn.Exec(b.Context(), fmt.Sprintf(`
		INSERT INTO registros (empresa_id, folio, curp, tipo_evento, fecha_evento, datos, huella)
		SELECT '%[1]s', 'S-' || n, 'SEED' || lpad(n::text, 14, '0'), 'Toma de muestra', '2026-06-01',
			'{"nombre": "NOMBRE"}', sha256(n::text::bytea)
		FROM generate_series(1, %[2]d) n;
		INSERT INTO casos (empresa_id, id, reporte_id, ciclo, curp, persona, activado_en, continua_desde, corte)
		SELECT '%[1]s', gen_random_uuid(), n || '-550e8400-e29b-41d4-a716-446655440000', 1,
			'SEED' || lpad((n * 10)::text, 14, '0'), '{}', now(), '2026-01-01', 1
		FROM generate_series(1, %[3]d) n;
		ANALYZE`, empresaUno, seedRegistros, seedCasos))
	if err != nil {
		b.Fatal(err)
	}
}
