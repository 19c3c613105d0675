package cuentas

import (
	"bytes"
	"context"
	"sync"
	"time"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

const (
	empresaA tenant.EmpresaID = "LAB010101AB1"
	empresaB tenant.EmpresaID = "LAB020202CD2"
)

// plainHasher keeps claves readable, and counts the work that it stands for.
type plainHasher struct {
	takes time.Duration // each time

	mu   sync.Mutex
	work int
}

func (h *plainHasher) Fingerprint(clave Secreto) []byte {
	h.count()
	return []byte(clave)
}

func (h *plainHasher) Hash(clave Secreto) string {
	h.count()
	return "hash of " + string(clave)
}

func (h *plainHasher) Verify(clave Secreto, hash string) bool {
	h.count()
	return hash == "hash of "+string(clave)
}

func (h *plainHasher) count() {
	<-time.After(h.takes)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.work++
}

func (h *plainHasher) done() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.work
}

// plainCaja seals nothing, but holds the context against the one that it was sealed with.
type plainCaja struct{}

func (plainCaja) Seal(s Secreto, contexto string) (Sellado, error) {
	return Sellado{Llave: contexto, Datos: []byte(s)}, nil
}

func (plainCaja) Open(s Sellado, contexto string) (Secreto, error) {
	if s.Llave != contexto {
		return "", errs.New(errores.Interno, "sealed for another place")
	}
	return Secreto(s.Datos), nil
}

type plainHuellas struct{}

func (plainHuellas) Huella(tipo, valor string) []byte { return []byte(tipo + ":" + valor) }

// memory is the storage of logins and institutions in a map.
type memory struct {
	mu       sync.Mutex
	empresas map[tenant.EmpresaID]Empresa
	claves   map[string]tenant.EmpresaID
	usuarios map[string]Usuario
	failures []OrigenLogin
	keys     map[string]ApiKey
	salida   Sellado
	paso     int64 // of the last one-time code

	recuperacion map[string]bool // recovery codes that are left
}

func newMemory() *memory {
	return &memory{
		empresas: map[tenant.EmpresaID]Empresa{},
		claves:   map[string]tenant.EmpresaID{},
		usuarios: map[string]Usuario{},
		keys:     map[string]ApiKey{},
	}
}

var errMissing = errs.New(errores.NoEncontrado, "No existe.")

func (m *memory) CreateEmpresas(_ context.Context, nuevas []NuevaEmpresa, simular bool) ([]Empresa, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var created []Empresa
	for _, n := range nuevas {
		n.Estado, n.Version = EmpresaActiva, 1
		created = append(created, n.Empresa)
		if simular {
			continue
		}
		m.empresas[n.ID] = n.Empresa
		m.claves[string(n.HuellaClave)] = n.ID
	}
	return created, nil
}

func (m *memory) GetEmpresa(_ context.Context, id tenant.EmpresaID) (Empresa, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, found := m.empresas[id]
	if !found {
		return Empresa{}, errMissing
	}
	return e, nil
}

func (m *memory) ListEmpresas(context.Context) ([]Empresa, error) { return nil, nil }

func (m *memory) SetEstado(_ context.Context, id tenant.EmpresaID, estado EstadoEmpresa) (Empresa, error) {
	return m.change(id, func(e *Empresa) {
		e.Estado = estado
		e.Version++
	})
}

func (m *memory) ChangeEmpresa(_ context.Context, id tenant.EmpresaID, c CambioEmpresa) (Empresa, error) {
	return m.change(id, func(e *Empresa) {
		e.InstitucionID, e.Sitio, e.TipoEventoNeutro = c.InstitucionID, c.Sitio, c.TipoEventoNeutro
	})
}

func (m *memory) RotateApiKey(_ context.Context, before string, end time.Time, fresh ApiKey) (added, ended ApiKey, err error) {
	ended = m.keys[before]
	ended.CaducaEn = end
	m.keys[before], m.keys[fresh.KeyID] = ended, fresh
	return fresh, ended, nil
}

func (m *memory) ListApiKeysPorVencer(context.Context, time.Duration) ([]ApiKey, error) {
	return nil, nil
}

func (m *memory) SetPausa(_ context.Context, id tenant.EmpresaID, pausada bool) (Empresa, error) {
	return m.change(id, func(e *Empresa) {
		e.EntregaPausadaEn = time.Time{}
		if pausada {
			e.EntregaPausadaEn = time.Now()
		}
	})
}

func (m *memory) SetClaveEntrada(_ context.Context, id tenant.EmpresaID, huella []byte) error {
	_, err := m.change(id, func(e *Empresa) {
		e.Version++
		m.claves[string(huella)] = id
	})
	return err
}

func (m *memory) SetSalida(_ context.Context, id tenant.EmpresaID, url string, clave Sellado) (Empresa, error) {
	return m.change(id, func(e *Empresa) {
		e.PUIURL = url
		m.salida = clave
	})
}

func (m *memory) change(id tenant.EmpresaID, change func(*Empresa)) (Empresa, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, found := m.empresas[id]
	if !found {
		return Empresa{}, errMissing
	}
	change(&e)
	m.empresas[id] = e
	return e, nil
}

func (m *memory) CreateUsuario(_ context.Context, u Usuario) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	u.Version = 1
	m.usuarios[u.Usuario] = u
	return nil
}

func (m *memory) CreatePrimerUsuario(ctx context.Context, u Usuario) error {
	return m.CreateUsuario(ctx, u)
}

func (m *memory) GetUsuario(_ context.Context, usuario string) (Usuario, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	u, found := m.usuarios[usuario]
	if !found {
		return Usuario{}, errMissing
	}
	return u, nil
}

func (m *memory) FindEmpresaByClave(ctx context.Context, huella []byte) (Empresa, error) {
	m.mu.Lock()
	id := m.claves[string(huella)]
	m.mu.Unlock()
	return m.GetEmpresa(ctx, id)
}

func (m *memory) LoginWait(_ context.Context, o OrigenLogin, limite LimiteLogin) (time.Duration, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	par, codigo := 0, 0
	for _, each := range m.failures {
		if bytes.Equal(each.Par, o.Par) {
			par++
		}
		if o.Codigo != nil && bytes.Equal(each.Codigo, o.Codigo) {
			codigo++
		}
	}
	if max(par, codigo) >= limite.Intentos {
		return time.Minute, nil
	}
	return 0, nil
}

func (m *memory) RecordLoginFailure(_ context.Context, o OrigenLogin) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failures = append(m.failures, o)
	return nil
}

func (m *memory) CreateApiKey(_ context.Context, k ApiKey) (ApiKey, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keys[k.KeyID] = k
	return k, nil
}

func (m *memory) ListApiKeys(context.Context, tenant.EmpresaID) ([]ApiKey, error) { return nil, nil }

func (m *memory) RevokeApiKey(_ context.Context, keyID string) (ApiKey, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := m.keys[keyID]
	k.RevocadaEn = time.Now()
	m.keys[keyID] = k
	return k, nil
}

func (m *memory) FindApiKey(ctx context.Context, keyID string) (ApiKey, Empresa, error) {
	m.mu.Lock()
	k, found := m.keys[keyID]
	m.mu.Unlock()
	if !found {
		return ApiKey{}, Empresa{}, errMissing
	}
	e, err := m.GetEmpresa(ctx, k.EmpresaID)
	return k, e, err
}
