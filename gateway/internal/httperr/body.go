package httperr

import (
	"strconv"
	"strings"

	"github.com/enlace-iis/enlace/proto/errores"
	erroresv1 "github.com/enlace-iis/enlace/proto/gen/enlace/errores/v1"
	"github.com/enlace-iis/enlace/proto/jsonwire"
)

// A kind is what a problem is called, apart from its occurrence.
type kind struct {
	codigo, title string
	status        int
}

func kindOf(motivo errores.Motivo) kind {
	return kind{codigo: errores.Codigo(motivo), title: errores.Titulo(motivo), status: errores.Status(motivo)}
}

// appendProblem writes the shape of contract.md section 3: every member, always.
func (w *Writer) appendProblem(dst []byte, kind kind, about About, refusal *Error) []byte {
	dst = append(dst, `{"type":`...)
	dst = jsonwire.AppendText(dst, w.typeBase+kind.codigo)
	dst = append(dst, `,"title":`...)
	dst = jsonwire.AppendText(dst, kind.title)
	dst = append(dst, `,"status":`...)
	dst = strconv.AppendInt(dst, int64(kind.status), 10)
	dst = append(dst, `,"detail":`...)
	dst = jsonwire.AppendText(dst, refusal.Detail)
	dst = append(dst, `,"instance":`...)
	dst = jsonwire.AppendText(dst, about.Instance)
	dst = append(dst, `,"codigo":`...)
	dst = jsonwire.AppendText(dst, kind.codigo)
	dst = append(dst, `,"request_id":`...)
	dst = jsonwire.AppendText(dst, about.RequestID)
	dst = append(dst, `,"errores":[`...)
	for i, each := range refusal.Errores {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendEntry(dst, each)
	}
	return append(dst, `]}`...)
}

// appendEntry writes one entry; `byte` only where it means something (contract.md 8).
func appendEntry(dst []byte, each *erroresv1.ErrorDeCampo) []byte {
	dst = append(dst, `{"indice":`...)
	if each.Indice == nil {
		dst = append(dst, `null`...)
	} else {
		dst = strconv.AppendInt(dst, int64(each.GetIndice()), 10)
	}
	dst = append(dst, `,"folio":`...)
	if each.Folio == nil {
		dst = append(dst, `null`...)
	} else {
		dst = jsonwire.AppendText(dst, each.GetFolio())
	}
	dst = append(dst, `,"puntero":`...)
	dst = jsonwire.AppendText(dst, each.GetPuntero())
	dst = append(dst, `,"codigo":`...)
	dst = jsonwire.AppendText(dst, each.GetCodigo())
	dst = append(dst, `,"mensaje":`...)
	dst = jsonwire.AppendText(dst, each.GetMensaje())
	if each.Byte != nil {
		dst = append(dst, `,"byte":`...)
		dst = strconv.AppendInt(dst, each.GetByte(), 10)
	}
	return append(dst, '}')
}

// appendPlatform writes the shape that pui.md decides: the manual's `error` and `errores`.
func appendPlatform(dst []byte, about About, refusal *Error) []byte {
	dst = append(dst, `{"error":`...)
	dst = jsonwire.AppendText(dst, refusal.Detail)
	dst = append(dst, `,"errores":[`...)
	for i, each := range refusal.Errores {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsonwire.AppendText(dst, platformText(each))
	}
	dst = append(dst, `],"codigo":`...)
	dst = jsonwire.AppendText(dst, errores.Codigo(refusal.Motivo))
	dst = append(dst, `,"request_id":`...)
	dst = jsonwire.AppendText(dst, about.RequestID)
	return append(dst, '}')
}

// platformText is one error as a sentence. The services name the field in theirs, as the
// manual does; what the reader found needs it put in front.
func platformText(each *erroresv1.ErrorDeCampo) string {
	campo := strings.TrimPrefix(each.GetPuntero(), "/")
	if each.Byte == nil || campo == "" {
		return each.GetMensaje()
	}
	return "'" + campo + "': " + each.GetMensaje()
}
