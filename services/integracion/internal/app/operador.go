package app

import (
	"context"
	"fmt"
	"time"

	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/postgres"
	"github.com/enlace-iis/enlace/services/integracion/internal/secreto"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/jobs"
	"github.com/enlace-iis/enlace/services/internal/pg"
)

// Operador is what a command that goes to the database directly works with.
type Operador struct {
	Empresas *cuentas.Empresas
	Usuarios *cuentas.Usuarios
	ApiKeys  *cuentas.ApiKeys

	db *pg.DB
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
	return &Operador{
		Empresas: newEmpresas(cfg, store, secrets),
		Usuarios: newUsuarios(store, secrets),
		ApiKeys: &cuentas.ApiKeys{
			Store: store, Empresas: store, Caja: secrets.caja, Mint: mint(cfg.AppEnv), Now: time.Now,
		},
		db: db,
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
	o.db.Close()
}

// secrets is how this installation keeps its secrets.
type secrets struct {
	caja    *secreto.Caja
	huellas *secreto.Huellas
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
	huellas := secreto.NewHuellas(cfg.HashSecret)
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
