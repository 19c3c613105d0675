package postgres

import (
	"fmt"
	"testing"

	"github.com/enlace-iis/enlace/proto/errores"
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
	_, err = store.GetUsuario(t.Context(), "nadie")
	wantMotivo(t, err, errores.NoEncontrado)
}

// fingerprint stands for the argon2id of a clave.
func fingerprint(of byte) []byte {
	hash := make([]byte, 32)
	hash[0] = of
	return hash
}
