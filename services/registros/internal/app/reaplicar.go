package app

import (
	"context"
	"encoding/hex"
	"errors"
	"log/slog"
	"time"

	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/huella"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/removals"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/postgres"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// ReapplyConfig is what `registros reaplicar` reads from the environment.
type ReapplyConfig struct {
	// HashSecret is integracion's: the list names persons and folios by hashes with this key.
	HashSecret string `env:"HASH_SECRET,required,notEmpty"`

	Removals removals.Config
	Database pg.Config
}

// Validate implements [process.Validator].
func (c *ReapplyConfig) Validate() error {
	return errors.Join(c.Database.Validate(), auth.Secrets{c.HashSecret}.Check("HASH_SECRET"))
}

// Reapply erases again what a restored database has of persons that were erased after the backup.
// Nothing may serve meanwhile, or the platform may be told of them.
func Reapply(ctx context.Context, cfg ReapplyConfig, log *slog.Logger) error {
	list, err := removals.Read(cfg.Removals)
	if err != nil {
		return err
	}
	db, err := pg.Open(ctx, cfg.Database)
	if err != nil {
		return err
	}
	defer db.Close()
	store, huellas := postgres.NewStore(db, nil), huella.New(cfg.HashSecret)
	personas, records := 0, 0
	for empresa, erased := range erasures(list) {
		var found []registros.Seleccion
		err = store.EachSeleccion(ctx, empresa, func(sel registros.Seleccion) {
			var listed bool
			sel.Antes, listed = erased[hashOf(huellas, empresa, sel)]
			if listed {
				found = append(found, sel)
			}
		})
		if err != nil {
			return err
		}
		for _, sel := range found {
			done, err := store.DeleteRegistros(ctx, empresa, sel, false)
			if err != nil {
				return err
			}
			personas++
			records += done.Registros
		}
	}
	log.InfoContext(ctx, "erasures are made again", "selections", personas, "records", records)
	return nil
}

// erasures are those of a list for each institution, by hash, with when each was made last.
func erasures(list []removals.Removal) map[tenant.EmpresaID]map[string]time.Time {
	all := map[tenant.EmpresaID]map[string]time.Time{}
	for _, r := range list {
		if r.Accion != removals.Erasure {
			continue
		}
		if all[r.EmpresaID] == nil {
			all[r.EmpresaID] = map[string]time.Time{}
		}
		hash := r.Recurso
		if hash == "" {
			hash = hex.EncodeToString(r.HuellaCURP)
		}
		all[r.EmpresaID][hash] = r.At
	}
	return all
}

func hashOf(huellas *huella.Huellas, empresa tenant.EmpresaID, sel registros.Seleccion) string {
	if sel.CURP != "" {
		return hex.EncodeToString(huella.CURP(huellas, sel.CURP))
	}
	return hex.EncodeToString(huella.Folio(huellas, empresa, string(sel.Folio)))
}
