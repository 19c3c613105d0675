package seguimiento

import (
	"time"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
)

// Momento is one thing that happened, from the Bitácora or from registros, in the one shape
// in which an operator reads a timeline. Like the Bitácora it holds
// no name, no address and no CURP.
type Momento struct {
	En            time.Time
	Tipo          string // the Asiento's, or one of the two below
	Accion        string
	Actor         string
	ReporteID     string
	Ciclo         int    // 0: not of one cycle
	Fase          string // empty: of none
	Coincidencia  string // its id
	Recurso       string // what else it was done to
	Status        int    // HTTP; 0: none
	Motivo        string
	Duracion      time.Duration
	RequestID     string
	Registros     int // a search looked at
	Coincidencias int // that a search found
	HuellaCURP    []byte
}

// What registros adds to the Bitácora.
const (
	MomentoBusqueda     = "busqueda"
	MomentoCoincidencia = "coincidencia"
)

func momentoOfAsiento(a bitacora.Asiento) Momento {
	m := Momento{
		En: a.OcurridoEn, Tipo: string(a.Tipo), Accion: a.Accion, Actor: a.Actor,
		ReporteID: a.ReporteID, Status: a.Status, Motivo: a.Motivo, Duracion: a.Duracion,
		RequestID: a.RequestID, HuellaCURP: a.HuellaCURP,
	}
	m.Fase, _ = a.Datos["fase"].(string)
	ciclo, _ := a.Datos["ciclo"].(float64) // as JSON has numbers
	m.Ciclo = int(ciclo)
	if a.Tipo == bitacora.AsientoEnvio {
		m.Coincidencia = a.Recurso
	} else {
		m.Recurso = a.Recurso
	}
	return m
}

func momentoOfBusqueda(b Busqueda, huella []byte) Momento {
	return Momento{
		En: b.EjecutadaEn, Tipo: MomentoBusqueda, Accion: "buscar", Actor: bitacora.ActorSistema,
		ReporteID: b.ReporteID, Ciclo: b.Ciclo, Fase: b.Fase,
		Registros: b.Registros, Coincidencias: b.Coincidencias, HuellaCURP: huella,
	}
}

func momentoOfHallazgo(h Hallazgo, huella []byte) Momento {
	return Momento{
		En: h.DetectadaEn, Tipo: MomentoCoincidencia, Accion: "detectar", Actor: bitacora.ActorSistema,
		ReporteID: h.ReporteID, Ciclo: h.Ciclo, Fase: h.Fase, Coincidencia: h.ID,
		Motivo: h.Estado, HuellaCURP: huella,
	}
}
