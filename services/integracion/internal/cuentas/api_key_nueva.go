package cuentas

import (
	"fmt"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/manual"
)

// maxNombreApiKey is the constraint api_keys_nombre_check.
const maxNombreApiKey = 100

// validate checks everything that was asked for, so that all that is wrong is told at once,
// and reads the expiry.
func (n NuevaApiKey) validate(now time.Time) (caduca time.Time, err error) {
	var fields []errs.Field
	if n.EmpresaID == "" {
		fields = append(fields, errs.Campo("/id_empresa", errores.Requerido, "Indique el RFC con homoclave de la institución."))
	}
	fields = append(fields, validateNombre(n.Nombre)...)
	fields = append(fields, validateAmbitos(n.Ambitos)...)
	caduca, problem := parseCaducidad(n.CaducaEn, now)
	fields = append(fields, problem...)
	if len(fields) > 0 {
		return time.Time{}, errs.New(errores.Validacion, "Los datos de la llave no son válidos.").WithFields(fields...)
	}
	return caduca, nil
}

func validateNombre(nombre string) []errs.Field {
	switch n := utf8.RuneCountInString(nombre); {
	case n == 0:
		return []errs.Field{errs.Campo("/nombre", errores.Requerido, "Indique para qué es la llave.")}
	case n > maxNombreApiKey:
		return []errs.Field{errs.Campo("/nombre", errores.Longitud, fmt.Sprintf("El nombre de la llave debe tener entre 1 y %d caracteres.", maxNombreApiKey))}
	case manual.HasControl(nombre):
		return []errs.Field{errs.Campo("/nombre", errores.CaracterNoPermitido, "El nombre de la llave no admite caracteres de control.")}
	default:
		return nil
	}
}

func validateAmbitos(ambitos []auth.Ambito) []errs.Field {
	if len(ambitos) == 0 {
		return []errs.Field{errs.Campo("/ambitos", errores.Requerido, "La llave necesita al menos un ámbito: cliente o eventos.")}
	}
	var fields []errs.Field
	for i, ambito := range ambitos {
		puntero := "/ambitos/" + strconv.Itoa(i)
		switch {
		case ambito != auth.AmbitoCliente && ambito != auth.AmbitoEventos:
			fields = append(fields, errs.Campo(puntero, errores.ValorNoAdmitido, "Los ámbitos admitidos son cliente y eventos."))
		case slices.Contains(ambitos[:i], ambito):
			fields = append(fields, errs.Campo(puntero, errores.Repetido, "El ámbito ya está en la lista."))
		}
	}
	return fields
}

func parseCaducidad(text string, now time.Time) (time.Time, []errs.Field) {
	if text == "" {
		return time.Time{}, nil
	}
	at, ok := manual.ParseInstante(text)
	switch {
	case !ok:
		return time.Time{}, []errs.Field{errs.Campo("/caduca_en", errores.Formato, "La caducidad debe ser un instante RFC 3339, como 2027-01-31T00:00:00Z.")}
	case !at.After(now):
		return time.Time{}, []errs.Field{errs.Campo("/caduca_en", errores.FechaInvalida, "La caducidad debe ser futura.")}
	default:
		return at, nil
	}
}
