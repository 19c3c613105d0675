package plataforma

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// TipoFalla is a way in which the platform can misbehave.
type TipoFalla string

// The ways. Status answers with a status instead of serving the request;
// Lentitud serves and answers late; Corte drops the connection, unserved or
// (Falla.Despues) served, or (Falla.AMedias) in the middle of the answer;
// JSONRoto serves and answers half of the body;
// TokenCaduco shortens the life of tokens. Mind that Go's own client repeats a
// GET by itself when a connection that it reused is cut, which uses up a Corte.
const (
	FallaStatus      TipoFalla = "status"
	FallaLentitud    TipoFalla = "lentitud"
	FallaCorte       TipoFalla = "corte"
	FallaJSONRoto    TipoFalla = "json_roto"
	FallaTokenCaduco TipoFalla = "token_caduco"
)

// maxEspera keeps a mistyped wait from becoming a connection held for ever.
const maxEspera = time.Hour

// Falla is an order to misbehave. Of several that fit a request the oldest one
// applies, alone; so faults registered one after the other are a script.
type Falla struct {
	Ruta          Ruta      `json:"ruta"` // TokenCaduco does not look at it
	InstitucionID string    `json:"institucion_id"`
	ReporteID     string    `json:"id"`            // only requests on this report
	Fase          string    `json:"fase_busqueda"` // only matches of this phase
	Tipo          TipoFalla `json:"tipo"`
	Status        int       `json:"status"`        // Status: 300 to 599
	RetryAfterS   int       `json:"retry_after_s"` // Status: 0 sends no Retry-After
	EsperaMs      int       `json:"espera_ms"`     // before the answer, or the cut
	Despues       bool      `json:"despues"`       // Corte: only after the request was served
	AMedias       bool      `json:"a_medias"`      // Corte: when half of the answer has been sent
	// VidaS is TokenCaduco's: tokens given out from now on live so long. Zero
	// instead expires those given out so far, once, and keeps no fault.
	VidaS int `json:"vida_s"`
	Veces int `json:"veces"` // requests that it hits; 0: until removed
}

// FallaActiva is a fault in force, with how often it hit.
type FallaActiva struct {
	Falla         `json:",embed"`
	VecesAplicada int `json:"veces_aplicada"`
}

func (f Falla) espera() time.Duration {
	return time.Duration(f.EsperaMs) * time.Millisecond
}

// validate refuses a field that the fault's kind would silently ignore.
func (f Falla) validate() Errores {
	var errores Errores
	refuseUnless := func(bien bool, mensaje string, args ...any) {
		if !bien {
			errores = append(errores, fmt.Sprintf(mensaje, args...))
		}
	}
	switch f.Tipo {
	case FallaStatus:
		refuseUnless(f.Status >= 300 && f.Status <= 599, "'status' debe estar entre 300 y 599")
	case FallaLentitud:
		refuseUnless(f.EsperaMs > 0, "'espera_ms' es obligatorio")
	case FallaCorte, FallaJSONRoto, FallaTokenCaduco:
	default:
		refuseUnless(false, "'tipo' debe ser %s, %s, %s, %s o %s",
			FallaStatus, FallaLentitud, FallaCorte, FallaJSONRoto, FallaTokenCaduco)
		return errores
	}
	if f.Ruta != "" || f.Tipo != FallaTokenCaduco {
		_, err := ParseRuta(string(f.Ruta))
		refuseUnless(err == nil, "%v", err)
	}
	refuseUnless(f.Tipo != FallaTokenCaduco || f.ReporteID == "" && f.Fase == "", "'id' y 'fase_busqueda' no son del tipo %s", FallaTokenCaduco)
	refuseUnless(f.Tipo == FallaStatus || f.Status == 0, "'status' es solo del tipo %s", FallaStatus)
	refuseUnless(f.Tipo == FallaStatus || f.RetryAfterS == 0, "'retry_after_s' es solo del tipo %s", FallaStatus)
	refuseUnless(f.Tipo == FallaCorte || !f.Despues, "'despues' es solo del tipo %s", FallaCorte)
	refuseUnless(f.Tipo == FallaCorte || !f.AMedias, "'a_medias' es solo del tipo %s", FallaCorte)
	refuseUnless(f.Tipo == FallaTokenCaduco || f.VidaS == 0, "'vida_s' es solo del tipo %s", FallaTokenCaduco)
	refuseUnless(f.Tipo != FallaTokenCaduco || f.EsperaMs == 0, "'espera_ms' no es del tipo %s", FallaTokenCaduco)
	refuseUnless(f.EsperaMs <= int(maxEspera/time.Millisecond), "'espera_ms' debe ser a lo más una hora")
	refuseUnless(min(f.RetryAfterS, f.EsperaMs, f.VidaS, f.Veces) >= 0, "ningún número puede ser negativo")
	return errores
}

// fallas are the faults in force, oldest first.
type fallas struct {
	mu      sync.Mutex
	activas []*FallaActiva
}

func (f *fallas) add(falla Falla) FallaActiva {
	f.mu.Lock()
	defer f.mu.Unlock()
	nueva := &FallaActiva{Falla: falla}
	f.activas = append(f.activas, nueva)
	return *nueva
}

// takeFor uses up one hit of the fault that applies to a request, if any.
func (f *fallas) takeFor(peticion Peticion, institucionID string) Falla {
	return f.take(func(a Falla) bool {
		return a.Tipo != FallaTokenCaduco && a.Ruta == peticion.Ruta && a.concerns(institucionID) && a.isAbout(peticion)
	})
}

// isAbout looks into the body for a fault that names what it is about.
func (f Falla) isAbout(peticion Peticion) bool {
	if f.ReporteID == "" && f.Fase == "" {
		return true
	}
	cuerpo, errores := parseObject(peticion.Cuerpo)
	return len(errores) == 0 && (f.ReporteID == "" || f.ReporteID == cuerpo["id"]) && (f.Fase == "" || f.Fase == cuerpo["fase_busqueda"])
}

// takeVida uses up one hit of the fault that shortens the life of a token.
func (f *fallas) takeVida(institucionID string) time.Duration {
	falla := f.take(func(a Falla) bool {
		return a.Tipo == FallaTokenCaduco && a.concerns(institucionID)
	})
	if falla.VidaS == 0 {
		return VidaToken
	}
	return time.Duration(falla.VidaS) * time.Second
}

func (f Falla) concerns(institucionID string) bool {
	return f.InstitucionID == "" || f.InstitucionID == institucionID
}

// take returns the oldest fault that fits, or the zero Falla; one that has hit
// as often as it was to hit is gone afterwards.
func (f *fallas) take(fits func(Falla) bool) Falla {
	f.mu.Lock()
	defer f.mu.Unlock()
	en := slices.IndexFunc(f.activas, func(a *FallaActiva) bool { return fits(a.Falla) })
	if en < 0 {
		return Falla{}
	}
	hallada := f.activas[en]
	hallada.VecesAplicada++
	if hallada.Veces > 0 && hallada.VecesAplicada >= hallada.Veces {
		f.activas = slices.Delete(f.activas, en, en+1)
	}
	return hallada.Falla
}

func (f *fallas) list() []FallaActiva {
	f.mu.Lock()
	defer f.mu.Unlock()
	lista := make([]FallaActiva, 0, len(f.activas))
	for _, a := range f.activas {
		lista = append(lista, *a)
	}
	return lista
}

func (f *fallas) clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.activas = nil
}
