package cuentas

import (
	"context"
	"strconv"
	"time"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/manual"
)

// Rotacion is how a key is changed for another like it.
type Rotacion struct {
	// AnteriorHasta is how long the key before goes on working, RFC 3339; empty: UsualOverlap.
	AnteriorHasta string
	CaducaEn      string // of the new one, RFC 3339; empty: never
}

// Rotada is a new key, and the one before with its new end.
type Rotada struct {
	Nueva    ApiKeyEmitida
	Anterior ApiKey
}

// UsualOverlap leaves an institution time to put the new key in place.
const UsualOverlap = 7 * 24 * time.Hour

// Rotate issues a key like another one, which goes on working until a date, so that nothing is
// refused meanwhile. A key that has ended cannot be rotated.
func (s *ApiKeys) Rotate(ctx context.Context, keyID string, r Rotacion) (Rotada, error) {
	before, _, err := s.Store.FindApiKey(ctx, keyID)
	if err != nil {
		return Rotada{}, err
	}
	if before.Estado(s.Now()) != KeyActiva {
		return Rotada{}, errs.New(errores.Conflicto, "La llave ya no está activa; emita otra.")
	}
	end, caduca, err := r.read(s.Now(), before.CaducaEn)
	if err != nil {
		return Rotada{}, err
	}
	emitida, err := s.mint(NuevaApiKey{EmpresaID: before.EmpresaID, Nombre: before.Nombre, Ambitos: before.Ambitos}, caduca)
	if err != nil {
		return Rotada{}, err
	}
	rotada := Rotada{Nueva: emitida}
	rotada.Nueva.ApiKey, rotada.Anterior, err = s.Store.RotateApiKey(ctx, keyID, end, emitida.ApiKey)
	return rotada, err
}

// read gives when the key before ends, never later than it would, and when the new one does.
func (r Rotacion) read(now, before time.Time) (end, caduca time.Time, err error) {
	end = now.Add(UsualOverlap)
	var fields []errs.Field
	if r.AnteriorHasta != "" {
		at, ok := manual.ParseInstante(r.AnteriorHasta)
		if !ok || !at.After(now) {
			fields = append(fields, errs.Campo("/anterior_hasta", errores.Formato, "Debe ser un instante RFC 3339 futuro, como 2027-01-31T00:00:00Z."))
		}
		end = at
	}
	if !before.IsZero() && before.Before(end) {
		end = before
	}
	caduca, problem := parseCaducidad(r.CaducaEn, now)
	fields = append(fields, problem...)
	if len(fields) > 0 {
		return end, caduca, errs.New(errores.Validacion, "Los datos de la rotación no son válidos.").WithFields(fields...)
	}
	return end, caduca, nil
}

// Of how many days ListPorVencer tells: usually, and at most.
const (
	UsualDias = 30
	maxDias   = 3650
)

// ListPorVencer gives the active keys of all institutions that expire within so many days, the
// next one first; an empty text means UsualDias.
func (s *ApiKeys) ListPorVencer(ctx context.Context, dias string) ([]ApiKey, error) {
	within := UsualDias
	if dias != "" {
		n, err := strconv.Atoi(dias)
		if err != nil || n < 1 || n > maxDias {
			return nil, errs.FiltroNoAdmitido("/dias", "un número de días, de 1 a "+strconv.Itoa(maxDias))
		}
		within = n
	}
	return s.Store.ListApiKeysPorVencer(ctx, time.Duration(within)*24*time.Hour)
}
