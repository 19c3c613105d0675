package app

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/postgres"
	"github.com/enlace-iis/enlace/services/integracion/internal/secreto"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/huella"
	"github.com/enlace-iis/enlace/services/internal/jobs"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/removals"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// Operador is what a command that goes to the database directly works with.
type Operador struct {
	Empresas *cuentas.Empresas
	Usuarios *cuentas.Usuarios
	ApiKeys  *cuentas.ApiKeys

	db       *pg.DB
	store    *postgres.Store
	hasher   cuentas.Hasher
	removals removals.Config
}

// OpenOperador connects to the database. The jobs that its acts enqueue are the running service's.
func OpenOperador(ctx context.Context, cfg Storage) (*Operador, error) {
	secrets, err := newSecrets(cfg)
	if err != nil {
		return nil, err
	}
	db, err := pg.Open(ctx, cfg.Database)
	if err != nil {
		return nil, err
	}
	client, err := jobs.NewClient(db, jobs.Config{})
	if err != nil {
		db.Close()
		return nil, err
	}
	store := postgres.NewStore(db, &postgres.RiverQueue{Client: client}, secrets.huellas)
	store.Removals, err = removals.Open(cfg.Removals)
	if err != nil {
		db.Close()
		return nil, err
	}
	return &Operador{
		Empresas: newEmpresas(cfg, store, secrets),
		Usuarios: newUsuarios(store, secrets),
		ApiKeys: &cuentas.ApiKeys{
			Store: store, Empresas: store, Caja: secrets.caja, Mint: mint(cfg.AppEnv), Now: time.Now,
		},
		db: db, store: store, hasher: secrets.hasher, removals: cfg.Removals,
	}, nil
}

func newEmpresas(cfg Storage, store *postgres.Store, secrets secrets) *cuentas.Empresas {
	return &cuentas.Empresas{
		Store: store, Hasher: secrets.hasher, Caja: secrets.caja,
		AllowHTTP: cfg.PuiHTTP || cfg.IsDevelopment(),
	}
}

func newUsuarios(store *postgres.Store, secrets secrets) *cuentas.Usuarios {
	return &cuentas.Usuarios{Store: store, Hasher: secrets.hasher}
}

// Close ends the connections.
func (o *Operador) Close() {
	_ = o.store.Removals.Close()
	o.db.Close()
}

// Reaplicado is what was removed again after a restoration.
type Reaplicado struct {
	Cambios int `json:"cambios"`
	// Usuarios are operators that have another clave, shown once, and no second factor.
	Usuarios []ClaveNueva `json:"usuarios"`
	// SinClave are the institutions to which the platform cannot log in until their clave is set.
	SinClave []tenant.EmpresaID `json:"sin_clave_entrada"`
}

// ClaveNueva is an operator's.
type ClaveNueva struct {
	Usuario string `json:"usuario"`
	Clave   string `json:"clave"`
}

// Reapply makes again what the list has and the database, which was restored, has not. All tokens
// are void afterwards.
func (o *Operador) Reapply(ctx context.Context) (Reaplicado, error) {
	done := Reaplicado{Usuarios: []ClaveNueva{}, SinClave: []tenant.EmpresaID{}}
	list, err := removals.Read(o.removals)
	if err != nil {
		return done, err
	}
	claves := map[string]cuentas.Secreto{}
	for _, r := range list {
		clave := cuentas.NewClave()
		changed, err := o.store.Reapply(ctx, r, o.hasher.Hash(clave))
		if err != nil {
			return done, err
		}
		if !changed {
			continue
		}
		done.Cambios++
		switch {
		case postgres.ResetsUsuario(r):
			claves[r.Recurso] = clave
		case postgres.RemovesClave(r):
			done.SinClave = append(done.SinClave, r.EmpresaID)
		}
	}
	for _, usuario := range slices.Sorted(maps.Keys(claves)) {
		done.Usuarios = append(done.Usuarios, ClaveNueva{usuario, string(claves[usuario])})
	}
	slices.Sort(done.SinClave)
	done.SinClave = slices.Compact(done.SinClave)
	return done, o.store.VoidTokens(ctx)
}

// secrets is how this installation keeps its secrets.
type secrets struct {
	caja    *secreto.Caja
	huellas *huella.Huellas
	hasher  *secreto.Argon2
}

func newSecrets(cfg Storage) (secrets, error) {
	caja, err := secreto.NewCaja(cfg.EncryptionKeys)
	if err != nil {
		return secrets{}, fmt.Errorf("read ENCRYPTION_KEYS: %w", err)
	}
	_, err = auth.Generate(cfg.AppEnv)
	if err != nil {
		return secrets{}, fmt.Errorf("read APP_ENV: %w", err)
	}
	huellas := huella.New(cfg.HashSecret)
	return secrets{caja: caja, huellas: huellas, hasher: secreto.NewArgon2(huellas)}, nil
}

// mint makes keys of this installation, whose name newSecrets has checked.
func mint(ambiente string) func() cuentas.Acuniada {
	return func() cuentas.Acuniada {
		key, err := auth.Generate(ambiente)
		if err != nil {
			panic(err)
		}
		return cuentas.Acuniada{
			KeyID:         key.ID,
			Prefijo:       key.Prefijo(),
			Texto:         cuentas.Secreto(key.Reveal()),
			SecretoSHA256: key.SecretHash(),
		}
	}
}
