package evidencia

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/seguimiento"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// Registros tells which searches were run and what they found, in chunks that yield must
// not keep.
type Registros interface {
	EachBusqueda(ctx context.Context, empresa tenant.EmpresaID, f seguimiento.FiltroHallazgos, yield func([]seguimiento.Busqueda) error) error
	EachHallazgo(ctx context.Context, empresa tenant.EmpresaID, f seguimiento.FiltroHallazgos, yield func([]seguimiento.Hallazgo) error) error
}

// Exportacion writes evidence.
type Exportacion struct {
	Cadena    *bitacora.Cadena
	Registros Registros
	Llaves    Llaves
	Programa  string
	Now       func() time.Time
}

// Pedido is which evidence is wanted; a zero Periodo is the whole time.
type Pedido struct {
	Empresa cuentas.Empresa
	Periodo bitacora.Periodo
	Formato Formato
}

// FormatoOf finds a format by its name; empty: the usual one.
func FormatoOf(nombre string) (Formato, error) {
	i := slices.IndexFunc(Formatos, func(f Formato) bool { return f.Nombre == nombre || nombre == "" })
	if i < 0 {
		return Formato{}, errs.New(errores.Validacion, "El formato no es válido.").
			WithFields(errs.Campo("/formato", errores.Formato, "Debe ser jsonl, csv o html."))
	}
	return Formatos[i], nil
}

// Archivo is how a file of evidence is called.
func (p Pedido) Archivo() string {
	return "evidencia-" + string(p.Empresa.ID) + "." + p.Formato.Nombre
}

// Salida takes a file as it grows; Avance is told before each piece.
type Salida interface {
	io.Writer
	// Avance is how many lines were written, and of how many entries.
	Avance(escritas, total int64)
}

// piece is about how much is written at a time.
const piece = 64 << 10

// Export writes evidence. Memory does not grow with it. What registros tells comes first, so
// that there is no half of a file while it is away. An error means that the file is not whole.
func (x *Exportacion) Export(ctx context.Context, p Pedido, out Salida) error {
	tramo, err := x.Cadena.Open(ctx, p.Empresa.ID, p.Periodo)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(out, piece)
	f := &archivo{encabezado: x.encabezado(p, tramo), to: p.Formato.new(buffered)}
	f.avance = func() { out.Avance(f.pie.Hallazgos+f.pie.Asientos, tramo.Total()) }
	f.avance()
	steps := []func() error{
		func() error { return f.to.encabezado(f.encabezado) },
		func() error { return f.hallazgos(ctx, x.Registros, p) },
		func() error { return x.Cadena.Each(ctx, tramo, f.asientos) },
		func() error { return f.sign(x.Llaves) },
		buffered.Flush,
	}
	for _, step := range steps {
		err = step()
		if err != nil {
			return err
		}
	}
	return nil
}

func (x *Exportacion) encabezado(p Pedido, t bitacora.Tramo) encabezado {
	return encabezado{
		Formato: formato, IDEmpresa: string(p.Empresa.ID), Nombre: p.Empresa.Nombre,
		Desde: bound(p.Periodo.Desde), Hasta: bound(p.Periodo.Hasta),
		GeneradaEn: x.Now().UTC().Format(time.RFC3339), Programa: x.Programa,
		Primero: t.Primero, Ultimo: t.Ultimo, Anterior: t.Anterior.String(), Hash: t.Hash.String(),
		Llave: x.Llaves.Publicas()[0].String(),
	}
}

func bound(at time.Time) *string {
	if at.IsZero() {
		return nil
	}
	return new(at.UTC().Format(time.RFC3339Nano))
}

// archivo is a file on its way.
type archivo struct {
	to         writer
	encabezado encabezado
	pie        pie
	hash       bitacora.Hash // where the chain of what registros told stands
	avance     func()
}

// hallazgos writes what registros tells.
func (f *archivo) hallazgos(ctx context.Context, registros Registros, p Pedido) error {
	filtro := seguimiento.FiltroHallazgos{Periodo: p.Periodo}
	err := registros.EachBusqueda(ctx, p.Empresa.ID, filtro, func(chunk []seguimiento.Busqueda) error {
		return eachOf(chunk, func(b *seguimiento.Busqueda) error { return f.hallazgo(p.Empresa.ID, asientoOfBusqueda(b)) })
	})
	if err == nil {
		err = registros.EachHallazgo(ctx, p.Empresa.ID, filtro, func(chunk []seguimiento.Hallazgo) error {
			return eachOf(chunk, func(h *seguimiento.Hallazgo) error { return f.hallazgo(p.Empresa.ID, asientoOfHallazgo(h)) })
		})
	}
	if err != nil {
		return fmt.Errorf("ask registros: %w", err)
	}
	return nil
}

func eachOf[T any](all []T, do func(*T) error) error {
	for i := range all {
		err := do(&all[i])
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *archivo) hallazgo(empresa tenant.EmpresaID, a bitacora.Asiento) error {
	a.EmpresaID = empresa
	f.pie.Hallazgos++
	textos := a.Textos()
	f.hash = f.hash.Next(f.pie.Hallazgos, textos)
	f.avance()
	return f.to.linea(linea{Numero: f.pie.Hallazgos, Textos: textos, Hash: f.hash})
}

// asientos writes entries of the chain.
func (f *archivo) asientos(chunk []bitacora.Eslabon) error {
	f.avance()
	return eachOf(chunk, func(e *bitacora.Eslabon) error {
		f.pie.Asientos++
		return f.to.linea(linea{Numero: e.Numero, Textos: e.Textos(), Hash: e.Hash})
	})
}

func (f *archivo) sign(llaves Llaves) error {
	f.pie.HashHallazgos = f.hash.String()
	f.pie.Firma = llaves.sign(f.encabezado, f.pie)
	f.avance()
	return f.to.pie(f.pie)
}

// parseID reads an id of registros, which are UUIDs.
func parseID(text string) uuid.UUID {
	id, err := uuid.Parse(text)
	if err != nil {
		return uuid.Nil
	}
	return id
}
