package evidencia

import (
	"errors"
	"fmt"
	"io"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

var (
	errNoEsEvidencia = errs.New(errores.Validacion, "El archivo no es evidencia de Enlace en JSON Lines o CSV.")
	errPagina        = errs.New(errores.Validacion, "Es la página para imprimir: lo que se comprueba es el archivo JSON Lines o CSV de la misma evidencia.")
)

// Comprobada is what a file of evidence says of itself, once it was checked.
type Comprobada struct {
	IDEmpresa  string  `json:"id_empresa"`
	Nombre     string  `json:"nombre"`
	Desde      *string `json:"desde"`
	Hasta      *string `json:"hasta"`
	GeneradaEn string  `json:"generada_en"`
	Programa   string  `json:"programa"`
	Hallazgos  int64   `json:"hallazgos"`
	Asientos   int64   `json:"asientos"`
	Primero    int64   `json:"primero"`
	Ultimo     int64   `json:"ultimo"`
	Anterior   string  `json:"anterior"`
	Hash       string  `json:"hash"`
	LlaveID    string  `json:"llave_id"`
}

// Verify checks a file with a public key, or if that is nil with the one in the file, which
// then proves only that the file is of one piece. Memory does not grow with the file. What is
// wrong is Conflicto and names the first line that is not as it was written, is missing or
// stands elsewhere; what is no evidence at all is Validacion. avance is told how many lines
// were read, of how many entries.
func Verify(file io.Reader, llave Publica, avance func(leidas, total int64)) (Comprobada, error) {
	in, err := newReader(file)
	if err != nil {
		return Comprobada{}, err
	}
	v := &verificacion{in: in, avance: avance}
	err = v.begin(llave)
	if err == nil {
		err = v.lines()
	}
	if err == nil {
		err = v.end()
	}
	return v.comprobada(), err
}

// verificacion goes over a file once.
type verificacion struct {
	in         *reader
	avance     func(leidas, total int64)
	encabezado encabezado
	llave      Publica
	hallazgos  tramo
	asientos   tramo
	fila       int // the last one that was read
	pie        pie
}

// tramo is where one of the two chains of a file stands.
type tramo struct {
	nombre    string
	siguiente int64
	hash      bitacora.Hash
	leidas    int64
}

func broken(format string, args ...any) error {
	return errs.New(errores.Conflicto, fmt.Sprintf(format, args...))
}

// read gives the next line, or what is wrong with it.
func (v *verificacion) read() (parte, error) {
	p, err := v.in.next()
	if errors.Is(err, errIlegible) {
		return p, broken("La línea %d fue cambiada: no está como se escribió.", p.fila)
	}
	v.fila = max(v.fila, p.fila)
	return p, err
}

func (v *verificacion) begin(llave Publica) error {
	p, err := v.read()
	if errors.Is(err, io.EOF) || err == nil && p.encabezado == nil {
		return broken("Falta el encabezado: la primera línea del archivo.")
	}
	if err != nil {
		return err
	}
	v.encabezado = *p.encabezado
	if v.encabezado.Formato != formato {
		return errs.New(errores.Validacion, fmt.Sprintf("El archivo es %s y este programa comprueba %s: use uno más nuevo.", v.encabezado.Formato, formato))
	}
	anterior, ok := bitacora.ParseHash(v.encabezado.Anterior)
	own, known := ParsePublica(v.encabezado.Llave)
	if !ok || !known {
		return broken("El encabezado fue cambiado, en la línea %d.", v.fila)
	}
	if llave != nil && llave.String() != own.String() {
		return broken("El archivo trae la llave %s y se dio la %s: no lo firmó quien se dice, o con otra de sus llaves.", own.ID(), llave.ID())
	}
	v.llave = own
	v.hallazgos = tramo{nombre: "la búsqueda o coincidencia", siguiente: 1}
	v.asientos = tramo{nombre: "el asiento", siguiente: v.encabezado.Primero, hash: anterior}
	return nil
}

// lines goes over what happened, up to the signature.
func (v *verificacion) lines() error {
	for {
		p, err := v.read()
		switch {
		case errors.Is(err, io.EOF):
			return broken("Falta el final: el archivo está cortado después de la línea %d.", v.fila)
		case err != nil:
			return err
		case p.pie != nil:
			v.pie = *p.pie
			return nil
		case p.encabezado != nil:
			return broken("La línea %d es otro encabezado: el archivo no es de una pieza.", p.fila)
		}
		err = v.line(p)
		if err != nil {
			return err
		}
		v.avance(v.hallazgos.leidas+v.asientos.leidas, v.encabezado.Ultimo-v.encabezado.Primero+1)
	}
}

func (v *verificacion) line(p parte) error {
	t := &v.asientos
	if p.linea.deRegistros() {
		t = &v.hallazgos
		if v.asientos.leidas > 0 {
			return broken("La línea %d está fuera de orden: las búsquedas y coincidencias van antes que los asientos.", p.fila)
		}
	}
	hash := t.hash.Next(t.siguiente, p.linea.Textos)
	switch numero := p.linea.Numero; {
	case numero == t.siguiente && hash == p.linea.Hash:
		t.siguiente, t.hash, t.leidas = numero+1, hash, t.leidas+1
		return nil
	case numero == t.siguiente || hash == p.linea.Hash:
		return broken("La línea %d fue cambiada: es %s %d y su hash no es el de lo que dice.", p.fila, t.nombre, t.siguiente)
	case numero < t.siguiente:
		return broken("La línea %d está fuera de orden o repetida: trae %s %d y le toca al %d.", p.fila, t.nombre, numero, t.siguiente)
	default:
		return v.gap(t, p)
	}
}

// gap tells whether what should be on a line stands further down or is missing.
func (v *verificacion) gap(t *tramo, found parte) error {
	numero := found.linea.Numero
	for {
		p, err := v.in.next()
		if err != nil && !errors.Is(err, errIlegible) || p.pie != nil {
			break
		}
		if p.linea != nil && p.linea.Numero == t.siguiente && p.linea.deRegistros() == found.linea.deRegistros() {
			return broken("La línea %d está fuera de orden: trae %s %d y le toca al %d, que está en la línea %d.",
				found.fila, t.nombre, numero, t.siguiente, p.fila)
		}
	}
	return v.missing(t, numero-1, found.fila)
}

func (v *verificacion) missing(t *tramo, last int64, fila int) error {
	if last == t.siguiente {
		return broken("Falta %s %d, antes de la línea %d.", t.nombre, last, fila)
	}
	return broken("Falta de %s %d al %d, antes de la línea %d.", t.nombre, t.siguiente, last, fila)
}

// end checks that nothing is missing at the ends, and the signature.
func (v *verificacion) end() error {
	switch {
	case v.asientos.siguiente <= v.encabezado.Ultimo:
		return v.missing(&v.asientos, v.encabezado.Ultimo, v.fila)
	case v.hallazgos.leidas < v.pie.Hallazgos:
		return v.missing(&v.hallazgos, v.pie.Hallazgos, v.fila)
	}
	sound := v.llave.signed(v.encabezado, v.pie) && v.asientos.hash.String() == v.encabezado.Hash &&
		v.hallazgos.hash.String() == v.pie.HashHallazgos && v.asientos.leidas == v.pie.Asientos && v.hallazgos.leidas == v.pie.Hallazgos
	if !sound {
		return broken("El encabezado, la línea 1 o 2, o la firma, en la línea %d, no son los que se escribieron con esas líneas.", v.fila)
	}
	last := v.fila
	_, err := v.read()
	if !errors.Is(err, io.EOF) {
		return broken("Hay algo después de la firma, que está en la línea %d.", last)
	}
	return nil
}

func (v *verificacion) comprobada() Comprobada {
	e := v.encabezado
	return Comprobada{
		IDEmpresa: e.IDEmpresa, Nombre: e.Nombre, Desde: e.Desde, Hasta: e.Hasta, GeneradaEn: e.GeneradaEn, Programa: e.Programa,
		Hallazgos: v.hallazgos.leidas, Asientos: v.asientos.leidas, Primero: e.Primero, Ultimo: e.Ultimo,
		Anterior: e.Anterior, Hash: e.Hash, LlaveID: v.llave.ID(),
	}
}
