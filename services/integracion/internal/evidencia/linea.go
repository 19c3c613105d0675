package evidencia

import (
	"crypto/ed25519"
	"encoding/base64"
	"slices"
	"strconv"
	"time"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/seguimiento"
)

// formato names what files look like and how they are checked.
const formato = "enlace.evidencia.v1"

// What registros tells of, beside the kinds of entries.
const (
	tipoBusqueda     bitacora.TipoAsiento = "busqueda"
	tipoCoincidencia bitacora.TipoAsiento = "coincidencia"
)

// encabezado says in the file what it is.
type encabezado struct {
	Formato   string  `json:"formato"`
	IDEmpresa string  `json:"id_empresa"`
	Nombre    string  `json:"nombre"`
	Desde     *string `json:"desde"` // null: from the beginning
	Hasta     *string `json:"hasta"` // null: until it was made
	// GeneradaEn and Programa tell when it was made, and by which version.
	GeneradaEn string `json:"generada_en"`
	Programa   string `json:"programa"`
	// Primero and Ultimo are the numbers of its entries in the chain; Anterior and Hash where
	// the chain stands before and after them.
	Primero  int64  `json:"primero"`
	Ultimo   int64  `json:"ultimo"`
	Anterior string `json:"anterior"`
	Hash     string `json:"hash"`
	// Llave is the public key, in base64.
	Llave string `json:"llave"`
}

// pie ends the file.
type pie struct {
	// Hallazgos is how many searches and matches there are, HashHallazgos where their chain ends.
	Hallazgos     int64  `json:"hallazgos"`
	HashHallazgos string `json:"hash_hallazgos"`
	Asientos      int64  `json:"asientos"`
	Firma         string `json:"firma"`
}

// signed is what the signature is of.
func signed(e encabezado, p pie) []byte {
	optional := func(text *string) string {
		if text == nil {
			return ""
		}
		return *text
	}
	hash := bitacora.Hash{}.Next(0, []string{
		e.Formato, e.IDEmpresa, e.Nombre, optional(e.Desde), optional(e.Hasta), e.GeneradaEn, e.Programa,
		strconv.FormatInt(e.Primero, 10), strconv.FormatInt(e.Ultimo, 10), e.Anterior, e.Hash, e.Llave,
		strconv.FormatInt(p.Hallazgos, 10), p.HashHallazgos, strconv.FormatInt(p.Asientos, 10),
	})
	return append([]byte(formato+"\n"), hash[:]...)
}

func (l Llaves) sign(e encabezado, p pie) string {
	return base64.StdEncoding.EncodeToString(ed25519.Sign(l[0], signed(e, p)))
}

func (p Publica) signed(e encabezado, end pie) bool {
	signature, err := base64.StdEncoding.DecodeString(end.Firma)
	return err == nil && ed25519.Verify(ed25519.PublicKey(p), signed(e, end), signature)
}

// linea is one thing that happened, in its place.
type linea struct {
	Numero int64
	Textos []string // as bitacora.Campos names them
	Hash   bitacora.Hash
}

func (l *linea) texto(campo string) string {
	return l.Textos[slices.Index(bitacora.Campos, campo)]
}

// deRegistros tells what registros told of.
func (l *linea) deRegistros() bool {
	tipo := bitacora.TipoAsiento(l.texto("tipo"))
	return tipo == tipoBusqueda || tipo == tipoCoincidencia
}

func asientoOfBusqueda(b *seguimiento.Busqueda) bitacora.Asiento {
	return bitacora.Asiento{
		ID: parseID(b.ID), OcurridoEn: b.EjecutadaEn, Tipo: tipoBusqueda, Accion: "buscar", Actor: bitacora.ActorSistema, ReporteID: b.ReporteID,
		Datos: map[string]any{"ciclo": b.Ciclo, "fase": b.Fase, "registros": b.Registros, "coincidencias": b.Coincidencias},
	}
}

func asientoOfHallazgo(h *seguimiento.Hallazgo) bitacora.Asiento {
	datos := map[string]any{"ciclo": h.Ciclo, "fase": h.Fase, "estado": h.Estado}
	if !h.NotificadaEn.IsZero() {
		datos["notificada_en"] = h.NotificadaEn.UTC().Format(time.RFC3339Nano)
	}
	return bitacora.Asiento{
		ID: parseID(h.ID), OcurridoEn: h.DetectadaEn, Tipo: tipoCoincidencia, Accion: "detectar", Actor: bitacora.ActorSistema,
		ReporteID: h.ReporteID, Datos: datos,
	}
}
