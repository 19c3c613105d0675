package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/internal/terminal"
)

func (s *servicio) empresas() integracionv1.EmpresaServiceClient {
	return integracionv1.NewEmpresaServiceClient(s.conn)
}

func createEmpresas(flags *pflag.FlagSet) act {
	id := flags.String("id", "", "`RFC` con homoclave")
	nombre := flags.String("nombre", "", "`nombre` de la institución")
	institucion := flags.String("institucion-id", "", "`clave` con que la plataforma llama a la institución; sin él, su RFC")
	url := flags.String("pui-url", "", "`dirección` base de la plataforma")
	sinCarga := flags.Bool("sin-carga", false, "no tiene registros anteriores que cargar: se busca desde el principio")
	sitio, neutro := sitioFlags(flags), neutroFlag(flags)
	archivo := flags.String("archivo", "", "`CSV` con una institución por línea, todas o ninguna, en lugar de las opciones de una; columnas: "+strings.Join(columnasAlta(), ", "))
	simular := flags.Bool("simular", false, "comprueba todo y no guarda nada")
	return operate(func(ctx context.Context, s *servicio) error {
		if *archivo != "" {
			return s.createFrom(ctx, *archivo, *simular)
		}
		if *id == "" || *nombre == "" {
			return terminal.Usage("Faltan --id y --nombre, o --archivo; vea integracion empresas crear --help.")
		}
		return s.create(ctx, *simular, []*integracionv1.NuevaEmpresa{{
			IdEmpresa: *id, Nombre: *nombre, InstitucionId: *institucion, PuiUrl: *url, Sitio: sitio(), SinCarga: *sinCarga, TipoEventoNeutro: *neutro,
		}})
	})
}

func (s *servicio) createFrom(ctx context.Context, path string, simular bool) error {
	empresas, lines, err := readEmpresas(path)
	if err != nil {
		return err
	}
	return atLines(s.create(ctx, simular, empresas), lines)
}

func (s *servicio) create(ctx context.Context, simular bool, empresas []*integracionv1.NuevaEmpresa) error {
	var answer *integracionv1.CreateEmpresasResponse
	err := s.bulk(ctx, fmt.Sprintf("Da de alta %d", len(empresas)), func(ctx context.Context) error {
		var err error
		answer, err = s.empresas().CreateEmpresas(ctx, &integracionv1.CreateEmpresasRequest{Empresas: empresas, Simular: simular})
		return err
	})
	if err != nil {
		return err
	}
	return s.ShowAs(answer, func(out io.Writer) { s.tellAltas(out, answer) })
}

// tellAltas says what to enter at the portal, and what follows.
func (s *servicio) tellAltas(out io.Writer, answer *integracionv1.CreateEmpresasResponse) {
	if answer.GetSimulado() {
		fmt.Fprintf(out, "Todo está bien para dar de alta %d; no se guardó nada.\n", len(answer.GetEmpresas()))
		return
	}
	for _, acceso := range answer.GetEmpresas() {
		fmt.Fprintf(out, "%s\n  URL base  %s\n  usuario   %s\n  clave     %s\n\n", acceso.GetIdEmpresa(), acceso.GetUrlBase(), acceso.GetUsuario(), acceso.GetClave())
	}
	id := answer.GetEmpresas()[0].GetIdEmpresa()
	fmt.Fprintf(out, `Qué sigue, para cada institución:
  1. Capture la URL base, el usuario y la clave en el portal de la plataforma. La clave no se vuelve a mostrar.
  2. integracion claves salida --id-empresa %[1]s --url DIRECCIÓN
     con la dirección y la clave que el portal dio a la institución.
  3. integracion api-keys emitir --id-empresa %[1]s --nombre producción --ambitos cliente,eventos
     y entregue la llave a la institución por un canal seguro.
  4. Cuando la institución haya enviado los registros que ya tiene, declara terminada su carga inicial, o usted con
     integracion empresas terminar-carga --id-empresa %[1]s
     Hasta entonces no se busca ni se avisa nada. Sobra si se dio de alta con --sin-carga.
  5. integracion empresas mostrar --id-empresa %[1]s
     marca los pasos conforme suceden.
`, id)
}

func listEmpresas(flags *pflag.FlagSet) act {
	estado := terminal.Option{Allowed: []string{string(cuentas.EmpresaActiva), string(cuentas.EmpresaSuspendida)}}
	estado.Declare(flags, "estado", "solo las que están así; sin él, todas")
	return operate(func(ctx context.Context, s *servicio) error {
		stream, err := s.empresas().ListEmpresas(ctx, &integracionv1.ListEmpresasRequest{Estado: estado.Value})
		list := s.NewList("empresas", "id_empresa", "nombre", "estado", "reportes_activos", "llaves_activas", "llave_caduca_en",
			"actividad.ultimo_registro_en", "actividad.coincidencias_pendientes", "actividad.coincidencias_rechazadas")
		return printAll(list, stream, err, (*integracionv1.ListEmpresasResponse).GetEmpresas)
	})
}

// pasos are the steps of joining in their order, each with what does it.
var pasos = []struct {
	done func(*integracionv1.Pasos) bool
	text string
}{
	{(*integracionv1.Pasos).GetClaveEntrada, "hay clave para que entre la plataforma (claves entrada)"},
	{(*integracionv1.Pasos).GetClaveSalida, "hay dirección y clave para entrar a la plataforma (claves salida)"},
	{(*integracionv1.Pasos).GetSitio, "la institución dijo su lugar propio (empresas cambiar --sitio-descripcion)"},
	{(*integracionv1.Pasos).GetLlave, "hay una llave (api-keys emitir)"},
	{(*integracionv1.Pasos).GetPrimerUso, "la institución usó una llave"},
	{(*integracionv1.Pasos).GetPrimerRegistro, "la institución envió un registro"},
	{(*integracionv1.Pasos).GetCargaTerminada, "terminó la carga inicial; hasta entonces no se busca nada (empresas terminar-carga)"},
	{(*integracionv1.Pasos).GetPrimeraActivacionPrueba, "la plataforma probó una activación"},
	{(*integracionv1.Pasos).GetPrimerReporte, "la plataforma activó un reporte"},
}

func showEmpresa(flags *pflag.FlagSet) act {
	id := empresaFlag(flags)
	return operate(func(ctx context.Context, s *servicio) error {
		answer, err := s.empresas().GetEmpresa(ctx, &integracionv1.GetEmpresaRequest{IdEmpresa: *id})
		if err != nil {
			return err
		}
		return s.showEmpresa(answer.GetEmpresa())
	})
}

func (s *servicio) showEmpresa(e *integracionv1.Empresa) error {
	err := s.Show(e, "pasos")
	if err != nil || !s.People() {
		return err
	}
	fmt.Fprintln(s.Out, "\nalta")
	for _, paso := range pasos {
		mark := "○"
		if paso.done(e.GetPasos()) {
			mark = "✓"
		}
		fmt.Fprintf(s.Out, "  %s %s\n", mark, paso.text)
	}
	return nil
}

func changeEmpresa(flags *pflag.FlagSet) act {
	id := empresaFlag(flags)
	nombre := flags.String("nombre", "", "`nombre` nuevo")
	institucion := flags.String("institucion-id", "", "`clave` con que la plataforma llama a la institución")
	url := flags.String("pui-url", "", "`dirección` base de la plataforma")
	sitio, neutro := sitioFlags(flags), neutroFlag(flags)
	quitar := flags.Bool("quitar-sitio", false, "deja a la institución sin sitio propio")
	return operate(func(ctx context.Context, s *servicio) error {
		answer, err := s.empresas().ChangeEmpresa(ctx, &integracionv1.ChangeEmpresaRequest{IdEmpresa: *id, Cambio: &integracionv1.CambioEmpresa{
			Nombre: *nombre, InstitucionId: *institucion, PuiUrl: *url, Sitio: sitio(), QuitarSitio: *quitar, TipoEventoNeutro: *neutro,
		}})
		if err != nil {
			return err
		}
		return s.showEmpresa(answer.GetEmpresa())
	})
}

func endCarga(flags *pflag.FlagSet) act {
	id := empresaFlag(flags)
	return operate(func(ctx context.Context, s *servicio) error {
		answer, err := s.empresas().EndCarga(ctx, &integracionv1.EndCargaRequest{IdEmpresa: *id})
		return s.shown(answer, err)
	})
}

// withEmpresa makes an act of what is done to an institution and answers with it.
func withEmpresa(do func(ctx context.Context, client integracionv1.EmpresaServiceClient, id string) (*integracionv1.Empresa, error)) func(flags *pflag.FlagSet) act {
	return func(flags *pflag.FlagSet) act {
		id := empresaFlag(flags)
		return operate(func(ctx context.Context, s *servicio) error {
			changed, err := do(ctx, s.empresas(), *id)
			if err != nil {
				return err
			}
			return s.showEmpresa(changed)
		})
	}
}

var suspendEmpresa = withEmpresa(func(ctx context.Context, client integracionv1.EmpresaServiceClient, id string) (*integracionv1.Empresa, error) {
	answer, err := client.SuspendEmpresa(ctx, &integracionv1.SuspendEmpresaRequest{IdEmpresa: id})
	return answer.GetEmpresa(), err
})

var resumeEmpresa = withEmpresa(func(ctx context.Context, client integracionv1.EmpresaServiceClient, id string) (*integracionv1.Empresa, error) {
	answer, err := client.ResumeEmpresa(ctx, &integracionv1.ResumeEmpresaRequest{IdEmpresa: id})
	return answer.GetEmpresa(), err
})

var pauseEntregas = withEmpresa(func(ctx context.Context, client integracionv1.EmpresaServiceClient, id string) (*integracionv1.Empresa, error) {
	answer, err := client.PauseEntregas(ctx, &integracionv1.PauseEntregasRequest{IdEmpresa: id})
	return answer.GetEmpresa(), err
})

var resumeEntregas = withEmpresa(func(ctx context.Context, client integracionv1.EmpresaServiceClient, id string) (*integracionv1.Empresa, error) {
	answer, err := client.ResumeEntregas(ctx, &integracionv1.ResumeEntregasRequest{IdEmpresa: id})
	return answer.GetEmpresa(), err
})
