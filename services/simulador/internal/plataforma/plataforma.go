package plataforma

import (
	"context"
	"sync"
	"time"
)

// Plataforma is the stand-in's whole state. It lives in memory: a restart
// forgets institutions, tokens, reports, faults and what was received.
type Plataforma struct {
	now       func() time.Time
	tokens    *tokens
	fallas    *fallas
	recibidos *recibidos

	mu            sync.Mutex
	instituciones map[string]*inscrita
	criterio      Criterio
}

// New returns a platform that knows nobody. now is the clock of token lives, of
// the log and of the reports' registration day.
func New(now func() time.Time) *Plataforma {
	return &Plataforma{
		now:           now,
		tokens:        newTokens(now),
		fallas:        &fallas{},
		recibidos:     newRecibidos(now),
		instituciones: map[string]*inscrita{},
	}
}

// Peticion is a request to one of the platform's routes.
type Peticion struct {
	Ruta        Ruta
	Token       string // the bearer token, empty without one
	ContentType string
	Cuerpo      []byte
}

// Respuesta tells the transport what to do: wait Espera, and then drop the
// connection or send the answer, after Answered.
type Respuesta struct {
	N             int64 // its entry in the log; 0: never arrived
	InstitucionID string
	Espera        time.Duration
	Corte         bool
	AMedias       bool // with Corte: half of the body is sent before
	Status        int
	RetryAfterS   int // 0: no Retry-After
	Cuerpo        []byte
}

// Receive serves one request, faults included, and logs it before it returns:
// whoever has the answer finds the entry. A request that a fault cuts off
// unserved never reached the platform and leaves no entry. The error is ours,
// never the caller's.
func (p *Plataforma) Receive(peticion Peticion) (Respuesta, error) {
	institucionID := p.caller(peticion)
	falla := p.fallas.takeFor(peticion, institucionID)
	respuesta := Respuesta{InstitucionID: institucionID, Espera: falla.espera()}
	if falla.Tipo == FallaCorte && !falla.Despues && !falla.AMedias {
		respuesta.Corte = true
		return respuesta, nil
	}

	r, err := p.serve(peticion, falla)
	if err != nil {
		return Respuesta{}, err
	}
	cuerpo, err := r.encode()
	if err != nil {
		return Respuesta{}, err
	}
	if falla.Tipo == FallaJSONRoto {
		// Half of an object or an array is never valid JSON.
		cuerpo = cuerpo[:len(cuerpo)/2]
	}

	respuesta.Status, respuesta.Cuerpo = r.status, cuerpo
	respuesta.RetryAfterS = falla.RetryAfterS
	respuesta.Corte, respuesta.AMedias = falla.Tipo == FallaCorte, falla.AMedias
	respuesta.N = p.recibidos.add(Recibido{
		InstitucionID: institucionID,
		Ruta:          peticion.Ruta,
		Status:        r.status,
		Cuerpo:        loggedBody(peticion),
		Errores:       r.errores,
	})
	return respuesta, nil
}

// Answered notes in the log that the answer is on its way.
func (p *Plataforma) Answered(r Respuesta) {
	p.recibidos.answered(r.N)
}

// caller is whose request this seems to be, before anything is checked: faults
// and log name institutions whose token has just expired, too.
func (p *Plataforma) caller(peticion Peticion) string {
	if peticion.Ruta != RutaLogin {
		return p.tokens.owner(peticion.Token)
	}
	objeto, errores := parseObject(peticion.Cuerpo)
	if len(errores) > 0 {
		return ""
	}
	id, _ := objeto["institucion_id"].(string)
	return id
}

func (p *Plataforma) serve(peticion Peticion, falla Falla) (resultado, error) {
	if falla.Tipo == FallaStatus {
		return simulated(peticion.Ruta, falla.Status), nil
	}
	if peticion.Ruta == RutaLogin {
		return p.login(peticion)
	}
	return p.serveWithToken(peticion), nil
}

// login is §7.1.
func (p *Plataforma) login(peticion Peticion) (resultado, error) {
	credencial, errores := readBody(peticion)
	if len(errores) == 0 {
		errores = checkObject("", credencial, camposLogin)
	}
	if len(errores) > 0 {
		return refused(RutaLogin, errores), nil
	}
	id, clave := credencial["institucion_id"].(string), credencial["clave"].(string)
	if !p.admits(id, clave) {
		return failed(statusProhibido, textoNoAdmitida), nil
	}
	token, err := p.tokens.issue(id, p.fallas.takeVida(id))
	if err != nil {
		return resultado{}, err
	}
	return resultado{status: statusOK, cuerpo: cuerpoToken{token}}, nil
}

// serveWithToken is §7.2 to §7.4.
func (p *Plataforma) serveWithToken(peticion Peticion) resultado {
	if peticion.Token == "" {
		return failed(statusNoAutorizado, textoSinToken)
	}
	institucionID, err := p.tokens.verify(peticion.Token)
	if err != nil {
		return failed(statusNoAutorizado, textoTokenInvalido)
	}
	if peticion.Ruta == RutaReportes {
		return resultado{status: statusOK, cuerpo: p.reportesOf(institucionID)}
	}
	cuerpo, errores := readBody(peticion)
	if len(errores) > 0 {
		return refused(peticion.Ruta, errores)
	}
	if peticion.Ruta == RutaNotificarCoincidencia {
		errores = checkCoincidencia(cuerpo, institucionID, p.Criterio())
	} else {
		errores = checkFinalizada(cuerpo, institucionID)
	}
	switch {
	case len(errores) > 0:
		return refused(peticion.Ruta, errores)
	case peticion.Ruta == RutaNotificarCoincidencia:
		return accepted("Coincidencia recibida correctamente")
	default:
		return accepted("Registro de finalización de búsqueda histórica guardado correctamente.")
	}
}

// Recibidos lists what arrived and matches, in order. With a ctx that has not
// ended it waits until something matches; it never returns an error, a ctx that
// ends gives an empty list.
func (p *Plataforma) Recibidos(ctx context.Context, f Filtro) []Recibido {
	return p.recibidos.wait(ctx, f)
}

// ClearRecibidos empties the log; the numbering goes on.
func (p *Plataforma) ClearRecibidos() {
	p.recibidos.clear()
}

// Fail puts a fault in force. The error, if any, is an Errores.
func (p *Plataforma) Fail(falla Falla) (FallaActiva, error) {
	errores := falla.validate()
	if len(errores) > 0 {
		return FallaActiva{}, errores
	}
	if falla.Tipo == FallaTokenCaduco && falla.VidaS == 0 {
		p.tokens.expire(falla.InstitucionID)
		return FallaActiva{Falla: falla, VecesAplicada: 1}, nil
	}
	return p.fallas.add(falla), nil
}

// Fallas lists the faults in force, oldest first.
func (p *Plataforma) Fallas() []FallaActiva {
	return p.fallas.list()
}

// ClearFallas ends all faults.
func (p *Plataforma) ClearFallas() {
	p.fallas.clear()
}
