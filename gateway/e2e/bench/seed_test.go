package bench

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

func (c *caller) post(b *testing.B, path string, body []byte) {
	b.Helper()
	if body == nil {
		c.do(b, http.MethodPost, path, "", nil, func() {})
		return
	}
	c.do(b, http.MethodPost, path, "", bytes.NewReader(body), func() {})
}

func (c *caller) get(b *testing.B, path, etag string) *http.Response {
	b.Helper()
	return c.do(b, http.MethodGet, path, etag, nil, func() {})
}

// firstByte reads a list and tells when its first byte came.
func (c *caller) firstByte(b *testing.B, path string) time.Duration {
	b.Helper()
	started := time.Now()
	var first time.Duration
	c.do(b, http.MethodGet, path, "", nil, func() { first = time.Since(started) })
	return first
}

// record is about 900 bytes of JSON, every field given.
const record = `{"folio":"%s","curp":"%s","tipo_evento":"Toma de muestra en sucursal","fecha_evento":"2026-01-15",` +
	`"descripcion_lugar_evento":"Sucursal centro, planta baja","direccion_evento":%[3]s,"nombre":"NOMBRE","primer_apellido":"PRIMERO",` +
	`"segundo_apellido":"SEGUNDO","fecha_nacimiento":"1990-01-15","lugar_nacimiento":"CDMX","sexo_asignado":"H",` +
	`"telefono":"5555555555","correo":"correo@example.com","domicilio":%[3]s}`

const address = `{"direccion":"Calle Uno numero 123, colonia Centro","calle":"Calle Uno","numero":"123","colonia":"Centro",` +
	`"codigo_postal":"06000","municipio_o_alcaldia":"Cuauhtemoc","entidad_federativa":"Ciudad de Mexico"}`

// batch is the body of a full batch with folios of its own.
func batch(prefix string) []byte {
	records := make([]string, batchSize)
	for n := range records {
		records[n] = fmt.Sprintf(record, fmt.Sprintf("%s-%05d", prefix, n), "PEXA900115HDFRXN06", address)
	}
	return []byte(`{"registros":[` + strings.Join(records, ",") + `]}`)
}

// seed fills the tables as their owner, faster than the front door would.
func seed(b *testing.B, s *harness.System, empresa string) {
	b.Helper()
	conn := owner(b, s)
	_, err := conn.Exec(b.Context(), fmt.Sprintf(`
		INSERT INTO registros (empresa_id, folio, curp, tipo_evento, fecha_evento, datos, huella)
		SELECT '%[1]s', 'S-' || n, 'SEED' || lpad(n::text, 14, '0'), 'Toma de muestra', '2026-01-01',
			'{"nombre": "NOMBRE"}', sha256(n::text::bytea)
		FROM generate_series(1, %[2]d) n;
		INSERT INTO casos (empresa_id, id, reporte_id, ciclo, curp, persona, activado_en, continua_desde, corte,
			basicos_en, finalizacion, busqueda_finalizada_en, estado)
		SELECT '%[1]s', gen_random_uuid(), n || '-550e8400-e29b-41d4-a716-446655440000', 1,
			'SEED' || lpad(n::text, 14, '0'), '{"nombre": "NOMBRE", "primer_apellido": "PRIMERO"}', now(), '2026-01-01', 1,
			now(), 'notificada', now(), 'monitoreo'
		FROM generate_series(1, %[3]d) n;
		INSERT INTO revisiones (empresa_id, revision) VALUES ('%[1]s', 1) ON CONFLICT DO NOTHING;
		ANALYZE`, empresa, registered, listed))
	if err != nil {
		b.Fatal(err)
	}
}

// owner connects with the role that owns the tables, over all institutions.
func owner(b *testing.B, s *harness.System) *pgx.Conn {
	b.Helper()
	conn, err := pgx.Connect(b.Context(), s.OwnerURL(stack.Registros))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.Close(context.Background()) })
	_, err = conn.Exec(b.Context(), `SET enlace.alcance = 'todas'`)
	if err != nil {
		b.Fatal(err)
	}
	return conn
}

// floor is the bare upsert: COPY into a temporary table and a merge, nothing else.
type floor struct {
	conn    *pgx.Conn
	empresa string
	datos   []byte
}

func newFloor(b *testing.B, s *harness.System, empresa string) floor {
	b.Helper()
	f := floor{conn: owner(b, s), empresa: empresa, datos: []byte(fmt.Sprintf(record, "", "", address))}
	_, err := f.conn.Exec(b.Context(), `
		CREATE TEMPORARY TABLE llegada (folio text, curp text, tipo_evento text, fecha_evento date, datos jsonb, huella bytea)
		ON COMMIT DELETE ROWS`)
	if err != nil {
		b.Fatal(err)
	}
	return f
}

func (f floor) upsert(b *testing.B, prefix string) {
	b.Helper()
	day := time.Date(2026, 1, 15, 0, 0, 0, 0, time.UTC)
	err := pgx.BeginFunc(b.Context(), f.conn, func(tx pgx.Tx) error {
		_, err := tx.CopyFrom(b.Context(), pgx.Identifier{"llegada"},
			[]string{"folio", "curp", "tipo_evento", "fecha_evento", "datos", "huella"},
			pgx.CopyFromSlice(batchSize, func(n int) ([]any, error) {
				folio := fmt.Sprintf("%s-%05d", prefix, n)
				huella := sha256.Sum256([]byte(folio))
				return []any{folio, "PEXA900115HDFRXN06", "Toma de muestra en sucursal", day, f.datos, huella[:]}, nil
			}))
		if err != nil {
			return err
		}
		_, err = tx.Exec(b.Context(), `
			INSERT INTO registros AS r (empresa_id, folio, curp, tipo_evento, fecha_evento, datos, huella)
			SELECT $1, folio, curp, tipo_evento, fecha_evento, datos, huella FROM llegada
			ON CONFLICT (empresa_id, folio) DO UPDATE SET datos = excluded.datos, huella = excluded.huella
			WHERE r.huella <> excluded.huella`, f.empresa)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
}

// residentMiB is the memory that the process of a program holds (Linux).
func residentMiB(b *testing.B, program string) float64 {
	b.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		b.Fatal(err)
	}
	for _, link := range links {
		target, err := os.Readlink(link)
		if err != nil || target != program {
			continue
		}
		status, err := os.ReadFile(filepath.Join(filepath.Dir(link), "status"))
		if err != nil {
			b.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(status), "VmRSS:")
		kib, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
		if err != nil {
			b.Fatal(err)
		}
		return kib / 1024
	}
	b.Fatalf("no process runs %s", program)
	return 0
}
