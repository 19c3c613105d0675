package postgres

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
)

func TestStore_CreateEmpresa(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	created, err := createEmpresa(t, store, cuentas.Empresa{
		ID: "ÑAB010101AB1", Nombre: "LABORATORIO Ñ", InstitucionID: "NAB010101AB1", PUIURL: "https://pui.example.mx",
	})
	must(t, err)
	if created.Estado != cuentas.EmpresaActiva || created.Version != 1 || created.CreadaEn.IsZero() {
		t.Errorf("created %+v", created)
	}
	read, err := store.GetEmpresa(t.Context(), created.ID)
	if err != nil || read != created {
		t.Errorf("read %+v, %v; want %+v", read, err, created)
	}
	_, err = createEmpresa(t, store, cuentas.Empresa{ID: empresaA, Nombre: "N", InstitucionID: "OTRA010101AB1"})
	wantMotivo(t, err, errores.Conflicto)
	_, err = createEmpresa(t, store, cuentas.Empresa{ID: "OTRA010101AB1", Nombre: "N", InstitucionID: string(empresaA)})
	wantMotivo(t, err, errores.Conflicto)

	empresas, err := store.ListEmpresas(t.Context())
	if err != nil || len(empresas) != 3 {
		t.Errorf("listed %d, %v", len(empresas), err)
	}
	_, err = store.GetEmpresa(t.Context(), "NADA010101AB1")
	wantMotivo(t, err, errores.NoEncontrado)
}

func TestStore_versionOfAnEmpresa(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	version := func(want int) {
		t.Helper()
		e, err := store.GetEmpresa(t.Context(), empresaA)
		if err != nil || e.Version != want {
			t.Errorf("version %d, %v; want %d", e.Version, err, want)
		}
	}
	setEstado := func(estado cuentas.EstadoEmpresa) {
		t.Helper()
		_, err := store.SetEstado(t.Context(), empresaA, estado)
		must(t, err)
	}
	must(t, store.SetClaveEntrada(t.Context(), empresaA, fingerprint('a')))
	version(2)
	setEstado(cuentas.EmpresaSuspendida)
	version(3)
	setEstado(cuentas.EmpresaSuspendida)
	version(3)
	setEstado(cuentas.EmpresaActiva)
	version(3)
	_, err := store.SetEstado(t.Context(), "NADA010101AB1", cuentas.EmpresaSuspendida)
	wantMotivo(t, err, errores.NoEncontrado)
}

func TestStore_claveFindsItsEmpresa(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	must(t, store.SetClaveEntrada(t.Context(), empresaA, fingerprint('a')))
	must(t, store.SetClaveEntrada(t.Context(), empresaB, fingerprint('b')))

	found, err := store.FindEmpresaByClave(t.Context(), fingerprint('b'))
	if err != nil || found.ID != empresaB {
		t.Errorf("found %s, %v", found.ID, err)
	}
	_, err = store.FindEmpresaByClave(t.Context(), fingerprint('c'))
	wantMotivo(t, err, errores.NoEncontrado)
	err = store.SetClaveEntrada(t.Context(), empresaA, fingerprint('b'))
	wantMotivo(t, err, errores.Conflicto)
	err = store.SetClaveEntrada(t.Context(), "NADA010101AB1", fingerprint('d'))
	wantMotivo(t, err, errores.NoEncontrado)
}

// Of several who want to be the first, one is; who left does not count.
func TestStore_CreatePrimerUsuario(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	const many = 4
	refusals := make(chan error, many)
	for n := range many {
		go func() {
			refusals <- store.CreatePrimerUsuario(t.Context(), cuentas.Usuario{Usuario: fmt.Sprintf("primera-%d", n), Hash: "$argon2id$x"})
		}()
	}
	refused := 0
	for range many {
		err := <-refusals
		if err != nil {
			wantMotivo(t, err, errores.Conflicto)
			refused++
		}
	}
	all, err := store.ListUsuarios(t.Context())
	if err != nil || refused != many-1 || len(all) != 1 {
		t.Fatalf("%d refused, there are %+v, %v", refused, all, err)
	}
	must(t, store.RemoveUsuario(t.Context(), all[0].Usuario))
	wantMotivo(t, store.CreatePrimerUsuario(t.Context(), all[0]), errores.Conflicto) // the name is taken
	must(t, store.CreatePrimerUsuario(t.Context(), cuentas.Usuario{Usuario: "otra", Hash: "$argon2id$x"}))
}

func TestStore_usuarios(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	u := cuentas.Usuario{Usuario: "operador", Hash: "$argon2id$x"}
	must(t, store.CreateUsuario(t.Context(), u))
	wantMotivo(t, store.CreateUsuario(t.Context(), u), errores.Conflicto)
	read, err := store.GetUsuario(t.Context(), "operador")
	if err != nil || read.Hash != u.Hash || read.Version != 1 {
		t.Errorf("read %+v, %v", read, err)
	}
	for _, other := range []string{"nadie", "Operador"} { // a login names the operator as written
		_, err = store.GetUsuario(t.Context(), other)
		wantMotivo(t, err, errores.NoEncontrado)
	}
	for _, other := range []string{"Operador", "OPERADOR"} {
		wantMotivo(t, store.CreateUsuario(t.Context(), cuentas.Usuario{Usuario: other, Hash: u.Hash}), errores.Conflicto)
	}
	must(t, store.RemoveUsuario(t.Context(), "operador"))
	wantMotivo(t, store.CreateUsuario(t.Context(), cuentas.Usuario{Usuario: "Operador", Hash: u.Hash}), errores.Conflicto)
}

func TestStore_voidedTokens(t *testing.T) {
	t.Parallel()
	store, _, database := newStoreIn(t)
	must(t, store.CreateUsuario(t.Context(), cuentas.Usuario{Usuario: "operador", Hash: "$argon2id$x"}))
	for range 2 { // repeating it is harmless
		must(t, store.VoidToken(t.Context(), "operador", "GONE"))
	}
	_, err := store.GetUsuarioDeToken(t.Context(), "operador", "GONE")
	wantMotivo(t, err, errores.NoEncontrado)
	other, err := store.GetUsuarioDeToken(t.Context(), "operador", "OTHER")
	if err != nil || other.Usuario != "operador" {
		t.Errorf("another token: got %+v, %v, want the operator", other, err)
	}

	must(t, store.ForgetTokens(t.Context(), time.Hour))
	_, err = store.GetUsuarioDeToken(t.Context(), "operador", "GONE")
	wantMotivo(t, err, errores.NoEncontrado)
	withCrowd(t, database, `UPDATE tokens_anulados SET anulado_en = now() - interval '61 minutes'`)
	must(t, store.ForgetTokens(t.Context(), time.Hour))
	_, err = store.GetUsuarioDeToken(t.Context(), "operador", "GONE")
	if err != nil {
		t.Errorf("after its time: got %v, want it forgotten", err)
	}
}

// What operators do to the own account is no reset, and what is older than a week is told no more.
func TestStore_listRestablecimientos(t *testing.T) {
	t.Parallel()
	store, _, database := newStoreIn(t)
	as := func(actor string) context.Context {
		return bitacora.WithActuacion(t.Context(), bitacora.Actuacion{Actor: actor})
	}
	for _, name := range []string{"ana", "eva"} {
		must(t, store.CreateUsuario(as("jefa"), cuentas.Usuario{Usuario: name, Hash: "$argon2id$x"}))
	}
	must(t, store.SetClave(as("jefa"), "ana", "$argon2id$y"))
	must(t, store.RemoveTOTP(as("jefa"), "eva"))
	must(t, store.SetClave(as("eva"), "eva", "$argon2id$z"))
	must(t, store.RevokeTokens(as("jefa"), "eva"))
	listed := func(usuario string) (all []string) {
		found, err := store.ListRestablecimientos(t.Context(), usuario, cuentas.RestablecimientoVisible)
		must(t, err)
		for _, r := range found {
			if time.Since(r.OcurridoEn) > time.Hour {
				t.Errorf("%+v was just done", r)
			}
			all = append(all, r.Usuario+" "+string(r.Que)+" "+r.Por)
		}
		return all
	}
	for usuario, want := range map[string][]string{
		"": {"eva segundo_factor jefa", "ana clave jefa"}, "ana": {"ana clave jefa"}, "eva": {"eva segundo_factor jefa"}, "jefa": nil,
	} {
		if got := listed(usuario); !slices.Equal(got, want) {
			t.Errorf("of %q: got %v, want %v", usuario, got, want)
		}
	}
	withCrowd(t, database, `UPDATE bitacora SET ocurrido_en = ocurrido_en - interval '7 days 1 minute' WHERE recurso = 'eva'`)
	if got, want := listed(""), []string{"ana clave jefa"}; !slices.Equal(got, want) {
		t.Errorf("after a week: got %v, want %v", got, want)
	}
}

// fingerprint stands for the argon2id of a clave.
func fingerprint(of byte) []byte {
	hash := make([]byte, 32)
	hash[0] = of
	return hash
}
