package postgres

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/huella"
	"github.com/enlace-iis/enlace/services/internal/removals"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

const (
	hashBefore = "$argon2id$before"
	hashAfter  = "$argon2id$after"
	hashAgain  = "$argon2id$again"
)

// backedUp is a database as a backup has it: two institutions with keys and claves, and operators.
func backedUp(t *testing.T) *Store {
	t.Helper()
	store, _ := newStore(t)
	for _, key := range []string{"REVOKED0000000000000", "ROTATED0000000000000", "KEPT0000000000000000"} {
		_, err := store.CreateApiKey(t.Context(), cuentas.ApiKey{
			KeyID: key, EmpresaID: empresaA, Nombre: "n", Prefijo: "p", Ambitos: []auth.Ambito{auth.AmbitoCliente},
		})
		must(t, err)
	}
	for _, id := range []tenant.EmpresaID{empresaA, empresaB} {
		must(t, store.SetClaveEntrada(t.Context(), id, claveOf(id)))
	}
	for _, usuario := range []string{"clave", "factor", "gone", "codes", "kept"} {
		must(t, store.CreateUsuario(t.Context(), cuentas.Usuario{Usuario: usuario, Hash: hashBefore}))
		enrol(t, store, usuario)
	}
	return store
}

func claveOf(id tenant.EmpresaID) []byte { return bytes.Repeat([]byte(id[3:7]), 8) }

func openList(t *testing.T, cfg removals.Config) *removals.List {
	t.Helper()
	list, err := removals.Open(cfg)
	must(t, err)
	t.Cleanup(func() { _ = list.Close() })
	return list
}

// enrol gives an operator a second factor with one recovery code.
func enrol(t *testing.T, store *Store, usuario string) {
	t.Helper()
	nuevo := cuentas.Sellado{Llave: "k", Datos: []byte("factor")}
	must(t, store.SetTOTPNuevo(t.Context(), usuario, nuevo))
	_, err := store.ConfirmTOTP(t.Context(), usuario, nuevo, 1, [][]byte{bytes.Repeat([]byte{7}, 32)})
	must(t, err)
}

// change voids secrets as operators do.
func change(t *testing.T, store *Store, rotatedUntil time.Time) {
	t.Helper()
	ctx := t.Context()
	_, err := store.RevokeApiKey(ctx, "REVOKED0000000000000")
	must(t, err)
	_, _, err = store.RotateApiKey(ctx, "ROTATED0000000000000", rotatedUntil, cuentas.ApiKey{
		KeyID: "SUCCESSOR00000000000", EmpresaID: empresaA, Nombre: "n", Prefijo: "p", Ambitos: []auth.Ambito{auth.AmbitoCliente},
	})
	must(t, err)
	must(t, store.SetClaveEntrada(ctx, empresaA, bytes.Repeat([]byte{9}, 32)))
	must(t, store.SetClave(ctx, "clave", hashAfter))
	must(t, store.RemoveTOTP(ctx, "factor"))
	must(t, store.RemoveUsuario(ctx, "gone"))
	used, err := store.UseRecuperacion(ctx, "codes", bytes.Repeat([]byte{7}, 32))
	must(t, err)
	if !used {
		t.Fatal("the recovery code was not used")
	}
}

// A backup knows nothing of what was voided after it. By the list all of it is voided again, and
// nothing else.
func TestStore_Reapply(t *testing.T) {
	t.Parallel()
	cfg := removals.Config{Dir: t.TempDir()}
	lost, restored := backedUp(t), backedUp(t)
	lost.Removals = openList(t, cfg)
	until := time.Now().Add(time.Hour).Truncate(time.Second)
	change(t, lost, until)
	list, err := removals.Read(cfg)
	must(t, err)
	if len(list) != 7 {
		t.Fatalf("%d lines, want 7: %+v", len(list), list)
	}

	for range 2 { // repeating is harmless
		for _, r := range list {
			_, err = restored.Reapply(t.Context(), r, hashAgain)
			must(t, err)
		}
	}
	keys, err := restored.ListApiKeys(t.Context(), empresaA)
	must(t, err)
	for _, key := range keys {
		revoked, ends := !key.RevocadaEn.IsZero(), key.CaducaEn
		if revoked != (key.KeyID == "REVOKED0000000000000") || !ends.IsZero() != (key.KeyID == "ROTATED0000000000000") || !ends.IsZero() && !ends.Equal(until) {
			t.Errorf("key %s: revoked %v, ends %v", key.KeyID, revoked, ends)
		}
	}
	for id, want := range map[tenant.EmpresaID]bool{empresaA: false, empresaB: true} {
		_, err := restored.FindEmpresaByClave(t.Context(), claveOf(id))
		if (err == nil) != want {
			t.Errorf("found %s by its clave: %v, want %v", id, err, want)
		}
	}
	for usuario, want := range map[string]struct {
		hash         string
		factor, gone bool
	}{
		"clave": {hashAgain, false, false}, "factor": {hashAgain, false, false}, "codes": {hashAgain, false, false},
		"gone": {hashBefore, false, true}, "kept": {hashBefore, true, false},
	} {
		u, err := restored.GetUsuario(t.Context(), usuario)
		must(t, err)
		if u.Hash != want.hash || !u.TOTP.IsZero() != want.factor || !u.BajaEn.IsZero() != want.gone || (u.Recuperaciones > 0) != (want.factor || want.gone) {
			t.Errorf("%s: %+v, want %+v", usuario, u, want)
		}
	}
}

// What the backup has already is left as it is: an operator keeps the clave that was set before it.
func TestStore_Reapply_leavesWhatTheBackupHas(t *testing.T) {
	t.Parallel()
	cfg := removals.Config{Dir: t.TempDir()}
	store := backedUp(t)
	store.Removals = openList(t, cfg)
	must(t, store.SetClave(t.Context(), "clave", hashAfter))
	list, err := removals.Read(cfg)
	must(t, err)
	done, err := store.Reapply(t.Context(), list[0], hashAgain)
	must(t, err)
	u, err := store.GetUsuario(t.Context(), "clave")
	must(t, err)
	if done || u.Hash != hashAfter {
		t.Errorf("applied %v, the hash is %s", done, u.Hash)
	}
}

// Without a line on the list nothing is voided: a restoration would bring it back.
func TestStore_voidsNothingThatIsNotListed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store := backedUp(t)
	store.Removals = openList(t, removals.Config{Dir: dir + "/gone/too"})
	must(t, os.RemoveAll(filepath.Join(dir, "gone")))
	if store.SetClave(t.Context(), "clave", hashAfter) == nil {
		t.Error("the clave was changed")
	}
	u, err := store.GetUsuario(t.Context(), "clave")
	must(t, err)
	if u.Hash != hashBefore {
		t.Errorf("the hash is %s", u.Hash)
	}
}

func TestStore_RecordErasure_listsNothingReadable(t *testing.T) {
	t.Parallel()
	cfg := removals.Config{Dir: t.TempDir()}
	store, _ := newStore(t)
	store.Removals = openList(t, cfg)
	must(t, store.RecordErasure(t.Context(), bitacora.Asiento{
		EmpresaID: empresaA, Tipo: bitacora.AsientoCambio, Accion: removals.Erasure, HuellaCURP: huella.CURP(huellas, curp),
	}, []string{"id"}))
	list, err := removals.Read(cfg)
	must(t, err)
	if len(list) != 1 || !bytes.Equal(list[0].HuellaCURP, huella.CURP(huellas, curp)) || list[0].Coincidencias[0] != "id" {
		t.Errorf("listed %+v", list)
	}
	files, err := filepath.Glob(filepath.Join(cfg.Dir, "*"))
	must(t, err)
	for _, file := range files {
		content, err := os.ReadFile(file)
		must(t, err)
		if len(content) == 0 || bytes.Contains(content, []byte(curp)) {
			t.Errorf("the list says %s", content)
		}
	}
}

func TestStore_VoidTokens(t *testing.T) {
	t.Parallel()
	store := backedUp(t)
	before, err := store.GetUsuario(t.Context(), "kept")
	must(t, err)
	e, err := store.GetEmpresa(t.Context(), empresaA)
	must(t, err)
	must(t, store.VoidTokens(t.Context()))
	after, err := store.GetUsuario(t.Context(), "kept")
	must(t, err)
	left, err := store.GetEmpresa(t.Context(), empresaA)
	must(t, err)
	if after.Version < before.Version+1000 || left.Version < e.Version+1000 {
		t.Errorf("versions %d → %d, %d → %d", before.Version, after.Version, e.Version, left.Version)
	}
}
