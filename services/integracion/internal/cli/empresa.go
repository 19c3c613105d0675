package cli

import (
	"context"
	"flag"
	"io"
	"time"

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

func createEmpresa(flags *flag.FlagSet) action {
	id := flags.String("id", "", "RFC with homoclave")
	nombre := flags.String("nombre", "", "name")
	institucion := flags.String("institucion-id", "", "what the platform calls it; default: the RFC")
	url := flags.String("pui-url", "", "base address of the platform")
	return func(ctx context.Context, op *app.Operador, _ io.Reader) (any, error) {
		e, err := op.Empresas.Create(ctx, cuentas.Empresa{
			ID: tenant.EmpresaID(*id), Nombre: *nombre, InstitucionID: *institucion, PUIURL: *url,
		})
		return printedEmpresa(e), err
	}
}

func listEmpresas(*flag.FlagSet) action {
	return func(ctx context.Context, op *app.Operador, _ io.Reader) (any, error) {
		empresas, err := op.Empresas.List(ctx)
		printed := make([]empresaJSON, len(empresas))
		for i, e := range empresas {
			printed[i] = printedEmpresa(e)
		}
		return map[string]any{"empresas": printed}, err
	}
}

func changeEmpresa(flags *flag.FlagSet) action {
	id := flags.String("id-empresa", "", "RFC with homoclave")
	institucion := flags.String("institucion-id", "", "what the platform calls it")
	return func(ctx context.Context, op *app.Operador, _ io.Reader) (any, error) {
		e, err := op.Empresas.SetInstitucionID(ctx, tenant.EmpresaID(*id), *institucion)
		return printedEmpresa(e), err
	}
}

func suspendEmpresa(flags *flag.FlagSet) action {
	id := flags.String("id-empresa", "", "RFC with homoclave")
	return func(ctx context.Context, op *app.Operador, _ io.Reader) (any, error) {
		e, err := op.Empresas.Suspend(ctx, tenant.EmpresaID(*id))
		return printedEmpresa(e), err
	}
}

func resumeEmpresa(flags *flag.FlagSet) action {
	id := flags.String("id-empresa", "", "RFC with homoclave")
	return func(ctx context.Context, op *app.Operador, _ io.Reader) (any, error) {
		e, err := op.Empresas.Resume(ctx, tenant.EmpresaID(*id))
		return printedEmpresa(e), err
	}
}

func setClaveEntrada(flags *flag.FlagSet) action {
	id := flags.String("id-empresa", "", "RFC with homoclave")
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

func setClaveSalida(flags *flag.FlagSet) action {
	id := flags.String("id-empresa", "", "RFC with homoclave")
	url := flags.String("url", "", "base address of the platform")
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

func createUsuario(flags *flag.FlagSet) action {
	usuario := flags.String("usuario", "", "name to log in with")
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
