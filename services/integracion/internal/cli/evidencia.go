package cli

import (
	"context"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/enlace-iis/enlace/services/integracion/internal/app"
	"github.com/enlace-iis/enlace/services/integracion/internal/seguimiento"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/internal/terminal"
	"github.com/enlace-iis/enlace/services/process"
)

// momentoJSON is one thing that happened, in a timeline or as evidence.
type momentoJSON struct {
	OcurridoEn    time.Time `json:"ocurrido_en"`
	Tipo          string    `json:"tipo"`
	Accion        string    `json:"accion"`
	Actor         string    `json:"actor"`
	ReporteID     *string   `json:"reporte_id"`
	Ciclo         *int      `json:"ciclo"`
	Fase          *string   `json:"fase_busqueda"`
	Coincidencia  *string   `json:"coincidencia_id"`
	Recurso       *string   `json:"recurso"`
	Status        *int      `json:"status"`
	Motivo        *string   `json:"motivo"`
	DuracionMS    *int64    `json:"duracion_ms"`
	Registros     int       `json:"registros"`
	Coincidencias int       `json:"coincidencias"`
	CURPHuella    *string   `json:"curp_huella"`
	RequestID     *string   `json:"request_id"`
}

func printedMomento(m seguimiento.Momento) momentoJSON {
	return momentoJSON{
		OcurridoEn: m.En.UTC(), Tipo: m.Tipo, Accion: m.Accion, Actor: m.Actor,
		ReporteID: given(m.ReporteID), Ciclo: given(m.Ciclo), Fase: given(m.Fase),
		Coincidencia: given(m.Coincidencia), Recurso: given(m.Recurso),
		Status: given(m.Status), Motivo: given(m.Motivo), DuracionMS: given(m.Duracion.Milliseconds()),
		Registros: m.Registros, Coincidencias: m.Coincidencias,
		CURPHuella: given(hex.EncodeToString(m.HuellaCURP)), RequestID: given(m.RequestID),
	}
}

// evidencia is an institution's evidence for a period; it prints itself in either format.
type evidencia struct {
	IDEmpresa tenant.EmpresaID `json:"id_empresa"`
	Desde     time.Time        `json:"desde"`
	Hasta     time.Time        `json:"hasta"`
	Momentos  []momentoJSON    `json:"evidencia"`
}

// evidenciaCSV is the same as a table.
type evidenciaCSV evidencia

// columnas are the columns of the table, named as the fields of the JSON.
var columnas = []string{
	"ocurrido_en", "tipo", "accion", "actor", "reporte_id", "ciclo", "fase_busqueda", "coincidencia_id", "recurso",
	"status", "motivo", "duracion_ms", "registros", "coincidencias", "curp_huella", "request_id",
}

// print implements [printer].
func (e evidenciaCSV) print(out io.Writer) error {
	writer := csv.NewWriter(out)
	rows := [][]string{columnas}
	for _, m := range e.Momentos {
		rows = append(rows, []string{
			m.OcurridoEn.Format(time.RFC3339Nano), m.Tipo, m.Accion, m.Actor, cell(m.ReporteID), cell(m.Ciclo), cell(m.Fase),
			cell(m.Coincidencia), cell(m.Recurso), cell(m.Status), cell(m.Motivo), cell(m.DuracionMS),
			strconv.Itoa(m.Registros), strconv.Itoa(m.Coincidencias), cell(m.CURPHuella), cell(m.RequestID),
		})
	}
	err := writer.WriteAll(rows)
	if err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

// cell writes null as nothing. A text that a spreadsheet would run as a formula is quoted:
// a request id is whatever its client chose.
func cell[T any](value *T) string {
	if value == nil {
		return ""
	}
	text := fmt.Sprint(*value)
	if strings.IndexAny(text, "=+-@\t") == 0 {
		return "'" + text
	}
	return text
}

func exportEvidencia(flags *pflag.FlagSet) action {
	id := flags.String("id-empresa", "", "`RFC` con homoclave de la institución")
	formato := terminal.Option{Allowed: []string{"json", "csv"}}
	formato.Declare(flags, "formato", "el formato; sin él, json")
	readPeriodo := periodoFlags(flags)
	return withSeguimiento(func(ctx context.Context, s *seguimiento.Seguimiento) (any, error) {
		periodo, err := readPeriodo()
		if err != nil {
			return nil, err
		}
		momentos, err := s.Evidencia(ctx, tenant.EmpresaID(*id), periodo)
		e := evidencia{
			IDEmpresa: tenant.EmpresaID(*id), Desde: periodo.Desde.UTC(), Hasta: periodo.Hasta.UTC(),
			Momentos: printed(momentos, printedMomento),
		}
		if formato.Value == "csv" {
			return evidenciaCSV(e), err
		}
		return e, err
	})
}

// withSeguimiento makes an action of one that also asks registros; only such commands need
// its settings.
func withSeguimiento(do func(ctx context.Context, s *seguimiento.Seguimiento) (any, error)) action {
	return func(ctx context.Context, op *app.Operador, _ *terminal.Terminal) (any, error) {
		cfg, err := process.Load[app.RegistrosConfig]()
		if err != nil {
			return nil, err
		}
		seguimiento, closeConn, err := op.OpenSeguimiento(cfg)
		if err != nil {
			return nil, err
		}
		defer closeConn()
		return do(ctx, seguimiento)
	}
}

// printed prints each element of a list; an empty list is [], not null.
func printed[T, U any](all []T, each func(T) U) []U {
	out := make([]U, len(all))
	for i, item := range all {
		out[i] = each(item)
	}
	return out
}
