//go:build backup

package backup

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
)

// removed is what is erased and voided after the backup, and must not come back with it.
type removed struct {
	institucion *harness.Institucion
	otherKey    *integracionv1.IssueApiKeyResponse
	usuario     string
	clave       string // the operator's, from before
	nueva       string // the operator's, from after the restoration
}

// newRemoved makes it: an institution that told the platform of a person, whose folio says who it is.
func newRemoved(t *testing.T) *removed {
	t.Helper()
	r := &removed{institucion: system.NewInstitucion(t), usuario: "otra"}
	i := r.institucion
	i.Post(t, "/cliente/registros", harness.Registro("F-"+harness.CurpUno, harness.CurpUno, harness.Day(-3))).Want(t, http.StatusCreated)
	reporte := harness.ReporteID(11)
	activate(t, i, reporte)
	harness.Eventually(t, "the end of the search", func() bool { return slices.Contains(i.Told(reporte), harness.Fin) })
	r.otherKey = system.IssueApiKey(t, &integracionv1.IssueApiKeyRequest{IdEmpresa: i.ID, Nombre: "otra", Ambitos: []string{"cliente"}})
	made, err := integracionv1.NewUsuarioServiceClient(system.Operador(t)).CreateUsuario(t.Context(), &integracionv1.CreateUsuarioRequest{Usuario: r.usuario})
	if err != nil {
		t.Fatal(err)
	}
	r.clave = made.GetClave()
	return r
}

func (r *removed) remove(t *testing.T) {
	t.Helper()
	ctx, conn := t.Context(), system.Operador(t)
	erased, err := integracionv1.NewSeguimientoServiceClient(conn).DeleteRegistros(ctx, &integracionv1.DeleteRegistrosRequest{IdEmpresa: r.institucion.ID, Curp: harness.CurpUno})
	if err != nil || erased.GetRegistros() != 1 {
		t.Fatalf("erased %v, %v", erased, err)
	}
	_, err = integracionv1.NewApiKeyServiceClient(conn).RevokeApiKey(ctx, &integracionv1.RevokeApiKeyRequest{KeyId: r.otherKey.GetKeyId()})
	if err != nil {
		t.Fatal(err)
	}
	_, err = integracionv1.NewEmpresaServiceClient(conn).SetClaveEntrada(ctx, &integracionv1.SetClaveEntradaRequest{IdEmpresa: r.institucion.ID})
	if err != nil {
		t.Fatal(err)
	}
	_, err = integracionv1.NewUsuarioServiceClient(conn).ChangeClave(ctx, &integracionv1.ChangeClaveRequest{Usuario: r.usuario})
	if err != nil {
		t.Fatal(err)
	}
}

// reapply ends the restoration.
func (r *removed) reapply(t *testing.T) {
	t.Helper()
	output, err := system.Reapply(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var done struct {
		Cambios  int
		Usuarios []struct{ Usuario, Clave string }
		SinClave []string `json:"sin_clave_entrada"`
	}
	err = json.Unmarshal(output, &done)
	if err != nil || done.Cambios != 4 || len(done.Usuarios) != 1 || done.Usuarios[0].Usuario != r.usuario || !slices.Equal(done.SinClave, []string{r.institucion.ID}) {
		t.Fatalf("reaplicar: %v, %s", err, output)
	}
	r.nueva = done.Usuarios[0].Clave
}

// wantGone holds that nothing of it works or can be seen, once the services serve again.
func (r *removed) wantGone(t *testing.T) {
	t.Helper()
	i := r.institucion
	system.ForgetSesion(t) // a restoration voids it
	ctx, conn := t.Context(), system.Operador(t)
	counted, err := integracionv1.NewSeguimientoServiceClient(conn).DeleteRegistros(ctx, &integracionv1.DeleteRegistrosRequest{
		IdEmpresa: i.ID, Curp: harness.CurpUno, Simular: true,
	})
	if err != nil || counted.GetRegistros() != 0 {
		t.Errorf("of the erased person there are %v, %v", counted, err)
	}
	var matches []struct{ Folio, Curp string }
	i.Get(t, "/cliente/coincidencias").Want(t, http.StatusOK).Into(t, &matches)
	if len(matches) == 0 {
		t.Error("the matches are gone; they are to stay, without the person")
	}
	for _, m := range matches {
		if m.Folio != "" || m.Curp == harness.CurpUno {
			t.Errorf("a match tells of the erased person: %+v", m)
		}
	}
	answer := harness.Call(t, http.MethodGet, i.BaseURL+"/cliente/casos", http.Header{"X-Api-Key": {r.otherKey.GetApiKey()}}, nil)
	if answer.Status != http.StatusUnauthorized {
		t.Errorf("the revoked key: %d", answer.Status)
	}
	i.Get(t, "/cliente/casos").Want(t, http.StatusOK)
	sesiones := integracionv1.NewSesionServiceClient(conn)
	for _, tt := range []struct {
		usuario, clave string
		want           codes.Code
	}{
		{"PUI", i.Clave, codes.Unauthenticated},
		{r.usuario, r.clave, codes.Unauthenticated},
		{r.usuario, r.nueva, codes.OK},
	} {
		_, err := sesiones.Login(ctx, &integracionv1.LoginRequest{Credenciales: &integracionv1.Credenciales{Usuario: tt.usuario, Clave: tt.clave}})
		if status.Code(err) != tt.want {
			t.Errorf("login of %s: got %v, want %v", tt.usuario, err, tt.want)
		}
	}
}
