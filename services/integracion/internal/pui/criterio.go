package pui

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/internal/manual"
)

// foraneoSinAcento is how §7.2 (line 424) writes what §8.2 (line 983) and Annex 5 write FORÁNEO.
const foraneoSinAcento = "FORANEO"

// criterio is how a platform reads what the manual leaves open. The zero one is that of the
// manual's tables: FORÁNEO, and no field that is optional there need be sent.
type criterio struct {
	sinAcento    bool // it takes FORANEO
	conLugar     bool // it demands descripcion_lugar_evento, empty if need be (lines 271, 280)
	conDireccion bool // it demands direccion_evento
}

// openQuestions is how many things a criterio says.
const openQuestions = 3

// leida is a notificacion as a criterio has it.
type leida struct {
	notificacion
	DescripcionLugarEvento *string `json:"descripcion_lugar_evento,omitzero"`
	DireccionEvento        any     `json:"direccion_evento,omitzero"`
}

// vacia is an address that says nothing, which is valid by §7.2 (line 614).
type vacia struct {
	Direccion string `json:"direccion"`
}

// apply writes a message for a platform that reads so.
func (c criterio) apply(n notificacion) leida {
	l := leida{notificacion: n}
	if c.sinAcento && n.LugarNacimiento == string(manual.LugarForaneo) {
		l.LugarNacimiento = foraneoSinAcento
	}
	conEvento := n.FaseBusqueda != manual.FaseBasicos.String()
	if n.DescripcionLugarEvento != "" || c.conLugar && conEvento {
		l.DescripcionLugarEvento = &n.DescripcionLugarEvento
	}
	switch {
	case !n.DireccionEvento.IsZero():
		l.DireccionEvento = n.DireccionEvento
	case c.conDireccion && conEvento:
		l.DireccionEvento = vacia{}
	}
	return l
}

// mended returns the criterio that changes the field which the platform's refusal names, or c itself
// if no criterio changes it.
func (c criterio) mended(n notificacion, answer respuesta) criterio {
	if answer.err != nil || answer.status != http.StatusBadRequest {
		return c
	}
	if n.LugarNacimiento == string(manual.LugarForaneo) && names(answer.body, "lugar_nacimiento") {
		c.sinAcento = !c.sinAcento
	}
	if n.FaseBusqueda == manual.FaseBasicos.String() {
		return c
	}
	c.conLugar = c.conLugar || n.DescripcionLugarEvento == "" && names(answer.body, "descripcion_lugar_evento")
	c.conDireccion = c.conDireccion || n.DireccionEvento.IsZero() && names(answer.body, "direccion_evento")
	return c
}

// names reports whether a field is among the reasons of a 400. The bounds that the manual's own
// examples print are wrong (pui.md 1.2), so no more of the text is read.
func names(body []byte, field string) bool {
	var reasons struct {
		Errores []string `json:"errores"`
	}
	err := json.Unmarshal(body, &reasons)
	for _, each := range reasons.Errores {
		if err == nil && strings.Contains(each, field) {
			return true
		}
	}
	return false
}

// criterios are the platforms' by base address: in memory, and learnt anew after a start, by one
// refusal for each. Safe for concurrent use.
type criterios struct {
	mu    sync.Mutex
	byURL map[string]criterio
}

func (c *criterios) of(url string) criterio {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.byURL[url]
}

// learn keeps a criterio under which the platform took a message it had refused before.
func (c *criterios) learn(url string, learnt criterio, d entregas.Desenlace) {
	if d.Status < http.StatusOK || d.Status > http.StatusMultipleChoices {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byURL == nil {
		c.byURL = map[string]criterio{}
	}
	c.byURL[url] = learnt
}
