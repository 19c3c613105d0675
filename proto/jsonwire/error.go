package jsonwire

import (
	"slices"
	"strings"
	"unicode"

	"github.com/enlace-iis/enlace/proto/errores"
)

// Detalle says that a body could not be read, before its [Error] says where.
const Detalle = "El cuerpo no es JSON o no tiene la forma documentada."

// The stable codes of what can be wrong with a body; they are the `codigo` of an entry of
// `errores` when the answer is json_invalido.
const (
	CodigoVacio            = "vacio"
	CodigoSintaxis         = "sintaxis"
	CodigoDatosSobrantes   = "datos_sobrantes"
	CodigoUTF8             = errores.UTF8
	CodigoCampoDesconocido = errores.CampoDesconocido
	CodigoClaveRepetida    = "clave_repetida"
	CodigoTipo             = "tipo"
	CodigoProfundidad      = "profundidad"
)

const (
	mensajeVacio            = "El cuerpo está vacío; se esperaba JSON."
	mensajeSintaxis         = "Aquí el cuerpo deja de ser JSON válido."
	mensajeIncompleto       = "El JSON está incompleto."
	mensajeDatosSobrantes   = "Sobra contenido después del JSON."
	mensajeUTF8             = "El texto no es UTF-8 válido."
	mensajeSustituto        = "El escape \\u no forma un carácter Unicode."
	mensajeCampoDesconocido = "Este campo no existe."
	mensajeClaveRepetida    = "Este campo aparece más de una vez."
	mensajeProfundidad      = "El JSON tiene demasiados niveles anidados."

	mensajeTexto          = "Se esperaba un texto entre comillas."
	mensajeEntero         = "Se esperaba un número entero."
	mensajeBooleano       = "Se esperaba true o false."
	mensajeObjeto         = "Se esperaba un objeto."
	mensajeArreglo        = "Se esperaba un arreglo."
	mensajeObjetoOArreglo = "Se esperaba un objeto o un arreglo."
)

// Error says what is wrong with a body and where. It never holds a value of the body, and
// of the names that a client made up no more than the contract lets be repeated.
type Error struct {
	Codigo  string
	Mensaje string // Spanish, safe to show
	Puntero string // RFC 6901, relative to the documented shape
	Byte    int64  // offset in the (decompressed) body, from 0

	path []string // innermost segment first, while the reader unwinds
}

// Error is for the log.
func (e *Error) Error() string {
	return "read json: " + e.Codigo
}

// under adds the member or position that contains the place of the error. Readers call it
// while they return, so a body without errors pays nothing for its pointers.
func (e *Error) under(segment string) *Error {
	e.path = append(e.path, segment)
	return e
}

// located turns the path gathered on the way out into the pointer.
func (e *Error) located() *Error {
	var pointer strings.Builder
	for _, segment := range slices.Backward(e.path) {
		pointer.WriteByte('/')
		pointer.WriteString(pointerEscaper.Replace(segment))
	}
	e.Puntero = pointer.String()
	e.path = nil
	return e
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

// shown is what is repeated of a name that a client made up.
func shown(name string) string {
	n := 0
	for i := range name {
		if n == errores.MaxNombreAjeno {
			name = name[:i]
			break
		}
		n++
	}
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return unicode.ReplacementChar
		}
		return c
	}, name)
}
