package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// apiKeyColumns are the columns that an apiKeyRow reads.
const apiKeyColumns = `k.key_id, k.empresa_id, k.nombre, k.ambitos, k.prefijo, k.secreto_sha256,
	k.secreto_webhook, k.secreto_webhook_llave, k.creada_en, k.caduca_en, k.revocada_en, k.ultimo_uso_en`

const apiKeyMissing = "No existe esa llave."

// apiKeyRow is where a row of api_keys is scanned to.
type apiKeyRow struct {
	key                       cuentas.ApiKey
	hash                      []byte
	webhookLlave              *string
	caduca, revocada, usadaEn *time.Time
}

func (r *apiKeyRow) targets() []any {
	return []any{&r.key.KeyID, &r.key.EmpresaID, &r.key.Nombre, &r.key.Ambitos, &r.key.Prefijo, &r.hash,
		&r.key.SecretoWebhook.Datos, &r.webhookLlave, &r.key.CreadaEn, &r.caduca, &r.revocada, &r.usadaEn}
}

func (r *apiKeyRow) toDomain() cuentas.ApiKey {
	key := r.key
	copy(key.SecretoSHA256[:], r.hash)
	key.SecretoWebhook.Llave = pg.Value(r.webhookLlave)
	key.CaducaEn = pg.Value(r.caduca)
	key.RevocadaEn = pg.Value(r.revocada)
	key.UltimoUsoEn = pg.Value(r.usadaEn)
	return key
}

func scanApiKey(row pgx.Row) (cuentas.ApiKey, error) {
	var r apiKeyRow
	err := row.Scan(r.targets()...)
	return r.toDomain(), err
}

// CreateApiKey implements [cuentas.ApiKeyStore].
func (s *Store) CreateApiKey(ctx context.Context, k cuentas.ApiKey) (cuentas.ApiKey, error) {
	var created cuentas.ApiKey
	err := s.db.InEmpresa(ctx, k.EmpresaID, func(tx pgx.Tx) (err error) {
		created, err = insertApiKey(ctx, tx, k)
		return err
	})
	if err != nil {
		return created, fmt.Errorf("insert api key: %w", err)
	}
	return created, nil
}

func insertApiKey(ctx context.Context, tx pgx.Tx, k cuentas.ApiKey) (cuentas.ApiKey, error) {
	created, err := scanApiKey(tx.QueryRow(ctx, `
		INSERT INTO api_keys AS k (empresa_id, key_id, nombre, ambitos, prefijo, secreto_sha256,
			secreto_webhook, secreto_webhook_llave, caduca_en)
		VALUES ($1, $2, $3, $4, $5, $6, $7, nullif($8, ''), $9) RETURNING `+apiKeyColumns,
		string(k.EmpresaID), k.KeyID, k.Nombre, k.Ambitos, k.Prefijo, k.SecretoSHA256[:],
		k.SecretoWebhook.Datos, k.SecretoWebhook.Llave, pg.NullTime(k.CaducaEn)))
	if err != nil {
		return created, err
	}
	return created, insertCambio(ctx, tx, k.EmpresaID, "api_key_emitida", k.KeyID)
}

// RotateApiKey implements [cuentas.ApiKeyStore].
func (s *Store) RotateApiKey(ctx context.Context, before string, end time.Time, fresh cuentas.ApiKey) (added, ended cuentas.ApiKey, err error) {
	r := newRemoval(fresh.EmpresaID, accionRotar, before)
	r.Hasta = end
	err = s.db.InEmpresa(ctx, fresh.EmpresaID, func(tx pgx.Tx) (err error) {
		added, err = insertApiKey(ctx, tx, fresh)
		if err != nil {
			return err
		}
		ended, err = scanApiKey(tx.QueryRow(ctx, `
			UPDATE api_keys AS k SET caduca_en = least(caduca_en, $3), sucesora = $4
			WHERE empresa_id = $1 AND key_id = $2 AND revocada_en IS NULL RETURNING `+apiKeyColumns,
			string(fresh.EmpresaID), before, end, fresh.KeyID))
		if err != nil {
			return err
		}
		return s.insertRemoval(ctx, tx, r)
	})
	return added, ended, notFound(err, "rotate api key", apiKeyMissing)
}

// porVencer is the condition on a key k that expires within $1 and leaves the institution
// without one like it: a key that was rotated has a successor, for as long as that one works.
const porVencer = `k.revocada_en IS NULL AND k.caduca_en > clock_timestamp() AND k.caduca_en < clock_timestamp() + $1::interval
	AND NOT EXISTS (SELECT FROM api_keys s WHERE s.empresa_id = k.empresa_id AND s.key_id = k.sucesora
		AND s.revocada_en IS NULL AND (s.caduca_en IS NULL OR s.caduca_en > k.caduca_en))`

// ListApiKeysPorVencer implements [cuentas.ApiKeyStore].
func (s *Store) ListApiKeysPorVencer(ctx context.Context, within time.Duration) ([]cuentas.ApiKey, error) {
	var keys []cuentas.ApiKey
	err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		var err error
		keys, err = collectApiKeys(tx.Query(ctx, `
			SELECT `+apiKeyColumns+` FROM api_keys k WHERE `+porVencer+`
			ORDER BY k.caduca_en, k.key_id`, within))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list api keys that expire: %w", err)
	}
	return keys, nil
}

// ListApiKeys implements [cuentas.ApiKeyStore].
func (s *Store) ListApiKeys(ctx context.Context, empresa tenant.EmpresaID) ([]cuentas.ApiKey, error) {
	var keys []cuentas.ApiKey
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		var err error
		keys, err = collectApiKeys(tx.Query(ctx, `
			SELECT `+apiKeyColumns+` FROM api_keys k
			WHERE k.empresa_id = $1 ORDER BY k.creada_en DESC, k.key_id`, string(empresa)))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list api keys: %w", err)
	}
	return keys, nil
}

// collectApiKeys takes what a query gave.
func collectApiKeys(rows pgx.Rows, err error) ([]cuentas.ApiKey, error) {
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (cuentas.ApiKey, error) { return scanApiKey(row) })
}

// RevokeApiKey implements [cuentas.ApiKeyStore]. The operator gives the key alone, so
// its institution is found out here.
func (s *Store) RevokeApiKey(ctx context.Context, keyID string) (cuentas.ApiKey, error) {
	var key cuentas.ApiKey
	r := newRemoval("", accionRevocar, keyID)
	err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		var err error
		key, err = scanApiKey(tx.QueryRow(ctx, `
			UPDATE api_keys AS k SET revocada_en = coalesce(revocada_en, clock_timestamp())
			WHERE key_id = $1 RETURNING `+apiKeyColumns, keyID))
		if err != nil {
			return err
		}
		r.EmpresaID = key.EmpresaID
		return s.insertRemoval(ctx, tx, r)
	})
	return key, notFound(err, "revoke api key", apiKeyMissing)
}

const apiKeyByID = `
SELECT ` + apiKeyColumns + `, e.id, e.nombre, e.estado, coalesce(e.sitio, '{}')
FROM api_keys k JOIN empresas e ON e.id = k.empresa_id WHERE k.key_id = $1`

// FindApiKey implements [cuentas.ApiKeyStore].
func (s *Store) FindApiKey(ctx context.Context, keyID string) (cuentas.ApiKey, cuentas.Empresa, error) {
	var r apiKeyRow
	var e cuentas.Empresa
	err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, apiKeyByID, keyID).Scan(append(r.targets(), &e.ID, &e.Nombre, &e.Estado, &e.Sitio)...)
	})
	return r.toDomain(), e, notFound(err, "find api key", apiKeyMissing)
}

const touchApiKey = `
UPDATE api_keys SET ultimo_uso_en = clock_timestamp()
WHERE empresa_id = $1 AND key_id = $2
	AND (ultimo_uso_en IS NULL OR ultimo_uso_en < clock_timestamp() - $3::interval)`

// TouchApiKey writes down that a key was used, unless that was done shortly before.
func (s *Store) TouchApiKey(ctx context.Context, empresa tenant.EmpresaID, keyID string) error {
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, touchApiKey, string(empresa), keyID, cuentas.UsoEvery)
		return err
	})
	if err != nil {
		return fmt.Errorf("touch api key: %w", err)
	}
	return nil
}
