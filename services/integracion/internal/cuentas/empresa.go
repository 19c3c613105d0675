package cuentas

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// EstadoEmpresa is whether an institution may do anything. The constraint
// empresas_estado_check lists the same states.
type EstadoEmpresa string

// The states of an Empresa. A suspended one keeps its data; its keys, tokens and
// deliveries rest.
const (
	EmpresaActiva     EstadoEmpresa = "activa"
	EmpresaSuspendida EstadoEmpresa = "suspendida"
)

// EmpresaMissing is what a client reads of an institution that there is not.
const EmpresaMissing = "No existe esa institución."

// Empresa is an institution.
type Empresa struct {
	ID            tenant.EmpresaID // RFC with homoclave
	Nombre        string
	InstitucionID string // what the platform calls it; most often the RFC
	Estado        EstadoEmpresa
	PUIURL        string // base address of the platform for it; empty: not configured
	// Version is carried by the tokens given to the platform for this institution. It goes
	// up when the clave changes or the institution is suspended, and voids them.
	Version int
	// EntregaPausadaEn is since when an operator keeps its deliveries back; zero: they go out.
	EntregaPausadaEn time.Time
	// Sitio is where an event took place that does not say so itself; zero: not known.
	Sitio Sitio
	// TipoEventoNeutro is told in the place of an event that names health data; empty: the usual text.
	TipoEventoNeutro string
	CreadaEn         time.Time
}

// Comparables are the institutions of which the platform may be asked for its list.
func Comparables(all []Empresa) []tenant.EmpresaID {
	var ids []tenant.EmpresaID
	for _, e := range all {
		if e.Estado == EmpresaActiva && e.PUIURL != "" {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

// EmpresaStore keeps institutions. A missing one is NoEncontrado.
type EmpresaStore interface {
	// CreateEmpresas adds all or, with a Conflicto that names each that is taken, none; told
	// to simulate it adds none at all.
	CreateEmpresas(ctx context.Context, nuevas []NuevaEmpresa, simular bool) ([]Empresa, error)
	GetEmpresa(ctx context.Context, id tenant.EmpresaID) (Empresa, error)
	// ChangeEmpresa is Conflicto if another institution has the institucion_id.
	ChangeEmpresa(ctx context.Context, id tenant.EmpresaID, c CambioEmpresa) (Empresa, error)
	// SetEstado voids the tokens of an institution that it suspends.
	SetEstado(ctx context.Context, id tenant.EmpresaID, estado EstadoEmpresa) (Empresa, error)
	// SetClaveEntrada voids the tokens given out so far. It is Conflicto if another
	// institution has the same clave, which at the root alone tells them apart.
	SetClaveEntrada(ctx context.Context, id tenant.EmpresaID, huella []byte) error
	SetSalida(ctx context.Context, id tenant.EmpresaID, url string, clave Sellado) (Empresa, error)
	// SetPausa keeps the institution's deliveries back, or lets them go out again.
	SetPausa(ctx context.Context, id tenant.EmpresaID, pausada bool) (Empresa, error)
}

// Empresas is what an operator does with institutions.
type Empresas struct {
	Store  EmpresaStore
	Hasher Hasher
	Caja   Caja
	// AllowHTTP admits a platform without TLS, for local runs only.
	AllowHTTP bool
}

// Suspend stops an institution's keys, tokens and deliveries at once.
func (s *Empresas) Suspend(ctx context.Context, id tenant.EmpresaID) (Empresa, error) {
	return s.Store.SetEstado(ctx, id, EmpresaSuspendida)
}

// Resume restores a suspended institution. Tokens given out before stay void.
func (s *Empresas) Resume(ctx context.Context, id tenant.EmpresaID) (Empresa, error) {
	return s.Store.SetEstado(ctx, id, EmpresaActiva)
}

// PauseEntregas keeps an institution's deliveries back; nothing is lost, and everything else
// goes on.
func (s *Empresas) PauseEntregas(ctx context.Context, id tenant.EmpresaID) (Empresa, error) {
	return s.Store.SetPausa(ctx, id, true)
}

// ResumeEntregas lets deliveries go out again, within a minute (detainedPause).
func (s *Empresas) ResumeEntregas(ctx context.Context, id tenant.EmpresaID) (Empresa, error) {
	return s.Store.SetPausa(ctx, id, false)
}

// SetClaveEntrada sets what the platform uses towards an institution, and gives it back;
// an empty clave is made up. Tokens given out before are void.
func (s *Empresas) SetClaveEntrada(ctx context.Context, id tenant.EmpresaID, clave Secreto) (Secreto, error) {
	if clave == "" {
		clave = NewClave()
	}
	if !manual.IsClave(string(clave)) {
		return "", errs.New(errores.Validacion, manual.FormaClave)
	}
	err := s.Store.SetClaveEntrada(ctx, id, s.Hasher.Fingerprint(clave))
	if err != nil {
		return "", err
	}
	return clave, nil
}

const (
	lenClave     = 20
	claveLetters = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789-_.+"
)

// NewClave draws claves until one follows the rule for them; most do. It has 94 bits or more.
func NewClave() Secreto {
	for {
		var drawn [lenClave]byte
		// It never fails, by its contract.
		_, _ = rand.Read(drawn[:])
		clave := make([]byte, 0, lenClave)
		for _, b := range drawn {
			// 61 letters divide 244; greater bytes would favour the first ones.
			if int(b) < 256/len(claveLetters)*len(claveLetters) {
				clave = append(clave, claveLetters[int(b)%len(claveLetters)])
			}
		}
		if manual.IsClave(string(clave)) {
			return Secreto(clave)
		}
	}
}
