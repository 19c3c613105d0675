package cli

import (
	"context"
	"io"
	"time"

	"github.com/spf13/pflag"

	"github.com/enlace-iis/enlace/services/integracion/internal/app"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// empresaJSON is an institution as it is printed.
type empresaJSON struct {
	IDEmpresa     tenant.EmpresaID      `json:"id_empresa"`
	Nombre        string                `json:"nombre"`
	InstitucionID string                `json:"institucion_id"`
	Estado        cuentas.EstadoEmpresa `json:"estado"`
	PUIURL        *string               `json:"pui_url"`
	// PausadaEn is since when its deliveries are kept back.
	PausadaEn *time.Time `json:"entrega_pausada_en"`
	CreadaEn  time.Time  `json:"creada_en"`
}

// creadaJSON adds what the platform uses towards a new institution, which is shown once.
type creadaJSON struct {
	empresaJSON
	Clave string `json:"clave"`
}

func printedEmpresa(e cuentas.Empresa) empresaJSON {
	printed := empresaJSON{
		IDEmpresa: e.ID, Nombre: e.Nombre, InstitucionID: e.InstitucionID, Estado: e.Estado,
		PausadaEn: nullTime(e.EntregaPausadaEn), CreadaEn: e.CreadaEn.UTC(),
	}
	if e.PUIURL != "" {
		printed.PUIURL = &e.PUIURL
	}
	return printed
}

func createEmpresa(flags *pflag.FlagSet) action {
	id := flags.String("id", "", "`RFC` con homoclave de la institución")
	nombre := flags.String("nombre", "", "`nombre` de la institución")
	institucion := flags.String("institucion-id", "", "`clave` con que la plataforma llama a la institución; sin él, su RFC")
	url := flags.String("pui-url", "", "`dirección` base de la plataforma")
	return func(ctx context.Context, op *app.Operador, _ io.Reader) (any, error) {
		altas, err := op.Empresas.Create(ctx, []cuentas.Empresa{{
			ID: tenant.EmpresaID(*id), Nombre: *nombre, InstitucionID: *institucion, PUIURL: *url,
		}}, false)
		if err != nil {
			return nil, err
		}
		return creadaJSON{printedEmpresa(altas[0].Empresa), string(altas[0].Clave)}, nil
	}
}

func listEmpresas(*pflag.FlagSet) action {
	return func(ctx context.Context, op *app.Operador, _ io.Reader) (any, error) {
		empresas, err := op.Empresas.List(ctx)
		printed := make([]empresaJSON, len(empresas))
		for i, e := range empresas {
			printed[i] = printedEmpresa(e)
		}
		return map[string]any{"empresas": printed}, err
	}
}

func changeEmpresa(flags *pflag.FlagSet) action {
	id := flags.String("id-empresa", "", "`RFC` con homoclave de la institución")
	institucion := flags.String("institucion-id", "", "`clave` con que la plataforma llama a la institución")
	return func(ctx context.Context, op *app.Operador, _ io.Reader) (any, error) {
		e, err := op.Empresas.Change(ctx, tenant.EmpresaID(*id), cuentas.CambioEmpresa{InstitucionID: *institucion})
		return printedEmpresa(e), err
	}
}

func suspendEmpresa(flags *pflag.FlagSet) action {
	id := flags.String("id-empresa", "", "`RFC` con homoclave de la institución")
	return func(ctx context.Context, op *app.Operador, _ io.Reader) (any, error) {
		e, err := op.Empresas.Suspend(ctx, tenant.EmpresaID(*id))
		return printedEmpresa(e), err
	}
}

func resumeEmpresa(flags *pflag.FlagSet) action {
	id := flags.String("id-empresa", "", "`RFC` con homoclave de la institución")
	return func(ctx context.Context, op *app.Operador, _ io.Reader) (any, error) {
		e, err := op.Empresas.Resume(ctx, tenant.EmpresaID(*id))
		return printedEmpresa(e), err
	}
}

func setClaveEntrada(flags *pflag.FlagSet) action {
	id := flags.String("id-empresa", "", "`RFC` con homoclave de la institución")
	readClave := claveFlag(flags)
	return func(ctx context.Context, op *app.Operador, in io.Reader) (any, error) {
		clave, err := readClave(in)
		if err != nil {
			return nil, err
		}
		clave, err = op.Empresas.SetClaveEntrada(ctx, tenant.EmpresaID(*id), clave)
		return map[string]string{"id_empresa": *id, "clave": string(clave)}, err
	}
}

func setClaveSalida(flags *pflag.FlagSet) action {
	id := flags.String("id-empresa", "", "`RFC` con homoclave de la institución")
	url := flags.String("url", "", "`dirección` base de la plataforma")
	readClave := claveFlag(flags)
	return func(ctx context.Context, op *app.Operador, in io.Reader) (any, error) {
		clave, err := readClave(in)
		if err != nil {
			return nil, err
		}
		e, err := op.Empresas.SetClaveSalida(ctx, tenant.EmpresaID(*id), *url, clave)
		return printedEmpresa(e), err
	}
}

func createUsuario(flags *pflag.FlagSet) action {
	usuario := flags.String("usuario", "", "`nombre` con que entra")
	readClave := claveFlag(flags)
	return func(ctx context.Context, op *app.Operador, in io.Reader) (any, error) {
		clave, err := readClave(in)
		if err != nil {
			return nil, err
		}
		clave, err = op.Usuarios.Create(ctx, *usuario, clave)
		return map[string]string{"usuario": *usuario, "clave": string(clave)}, err
	}
}

func nullTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}
