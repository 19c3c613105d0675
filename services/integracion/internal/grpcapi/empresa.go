package grpcapi

import (
	"context"
	"net/url"
	"strings"

	"google.golang.org/grpc"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/seguimiento"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/rpc"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// EmpresaServer serves EmpresaService.
type EmpresaServer struct {
	integracionv1.UnimplementedEmpresaServiceServer
	Empresas    *cuentas.Empresas
	Seguimiento *seguimiento.Seguimiento
	// BaseURL is where institutions' own addresses begin.
	BaseURL string
}

// ListEmpresas implements EmpresaService.
func (s *EmpresaServer) ListEmpresas(req *integracionv1.ListEmpresasRequest, stream grpc.ServerStreamingServer[integracionv1.ListEmpresasResponse]) error {
	all, err := s.Seguimiento.Panoramas(stream.Context(), cuentas.EstadoEmpresa(req.GetEstado()))
	if err != nil {
		return err
	}
	return rpc.SendList(stream, all, func(chunk []seguimiento.Panorama) *integracionv1.ListEmpresasResponse {
		return &integracionv1.ListEmpresasResponse{Empresas: each(chunk, s.empresaOf)}
	})
}

// GetEmpresa implements EmpresaService.
func (s *EmpresaServer) GetEmpresa(ctx context.Context, req *integracionv1.GetEmpresaRequest) (*integracionv1.GetEmpresaResponse, error) {
	e, err := s.read(ctx, req.GetIdEmpresa())
	return &integracionv1.GetEmpresaResponse{Empresa: e}, err
}

// CreateEmpresas implements EmpresaService. Only here the claves are shown.
func (s *EmpresaServer) CreateEmpresas(ctx context.Context, req *integracionv1.CreateEmpresasRequest) (*integracionv1.CreateEmpresasResponse, error) {
	empresas := make([]cuentas.NuevaEmpresa, len(req.GetEmpresas()))
	for i, e := range req.GetEmpresas() {
		empresas[i].SinCarga = e.GetSinCarga()
		empresas[i].Empresa = cuentas.Empresa{
			ID: tenant.EmpresaID(e.GetIdEmpresa()), Nombre: e.GetNombre(), InstitucionID: strings.TrimSpace(e.GetInstitucionId()),
			PUIURL: strings.TrimSpace(e.GetPuiUrl()), Sitio: sitioOf(e.GetSitio()), TipoEventoNeutro: e.GetTipoEventoNeutro(),
		}
	}
	altas, err := s.Empresas.Create(ctx, empresas, req.GetSimular())
	if err != nil {
		return nil, err
	}
	answer := &integracionv1.CreateEmpresasResponse{Simulado: req.GetSimular()}
	for _, alta := range altas {
		answer.Empresas = append(answer.Empresas, s.accesoOf(alta.ID, alta.Clave))
	}
	return answer, nil
}

// ChangeEmpresa implements EmpresaService.
func (s *EmpresaServer) ChangeEmpresa(ctx context.Context, req *integracionv1.ChangeEmpresaRequest) (*integracionv1.ChangeEmpresaResponse, error) {
	c := req.GetCambio()
	_, err := s.Empresas.Change(ctx, tenant.EmpresaID(req.GetIdEmpresa()), cuentas.CambioEmpresa{
		Nombre: c.GetNombre(), InstitucionID: strings.TrimSpace(c.GetInstitucionId()), PUIURL: strings.TrimSpace(c.GetPuiUrl()),
		Sitio: sitioOf(c.GetSitio()), QuitarSitio: c.GetQuitarSitio(), TipoEventoNeutro: c.GetTipoEventoNeutro(),
	})
	e, err := s.readAfter(ctx, req.GetIdEmpresa(), err)
	return &integracionv1.ChangeEmpresaResponse{Empresa: e}, err
}

// SuspendEmpresa implements EmpresaService.
func (s *EmpresaServer) SuspendEmpresa(ctx context.Context, req *integracionv1.SuspendEmpresaRequest) (*integracionv1.SuspendEmpresaResponse, error) {
	_, err := s.Empresas.Suspend(ctx, tenant.EmpresaID(req.GetIdEmpresa()))
	e, err := s.readAfter(ctx, req.GetIdEmpresa(), err)
	return &integracionv1.SuspendEmpresaResponse{Empresa: e}, err
}

// ResumeEmpresa implements EmpresaService.
func (s *EmpresaServer) ResumeEmpresa(ctx context.Context, req *integracionv1.ResumeEmpresaRequest) (*integracionv1.ResumeEmpresaResponse, error) {
	_, err := s.Empresas.Resume(ctx, tenant.EmpresaID(req.GetIdEmpresa()))
	e, err := s.readAfter(ctx, req.GetIdEmpresa(), err)
	return &integracionv1.ResumeEmpresaResponse{Empresa: e}, err
}

// PauseEntregas implements EmpresaService.
func (s *EmpresaServer) PauseEntregas(ctx context.Context, req *integracionv1.PauseEntregasRequest) (*integracionv1.PauseEntregasResponse, error) {
	_, err := s.Empresas.PauseEntregas(ctx, tenant.EmpresaID(req.GetIdEmpresa()))
	e, err := s.readAfter(ctx, req.GetIdEmpresa(), err)
	return &integracionv1.PauseEntregasResponse{Empresa: e}, err
}

// ResumeEntregas implements EmpresaService.
func (s *EmpresaServer) ResumeEntregas(ctx context.Context, req *integracionv1.ResumeEntregasRequest) (*integracionv1.ResumeEntregasResponse, error) {
	_, err := s.Empresas.ResumeEntregas(ctx, tenant.EmpresaID(req.GetIdEmpresa()))
	e, err := s.readAfter(ctx, req.GetIdEmpresa(), err)
	return &integracionv1.ResumeEntregasResponse{Empresa: e}, err
}

// EndCarga implements EmpresaService.
func (s *EmpresaServer) EndCarga(ctx context.Context, req *integracionv1.EndCargaRequest) (*integracionv1.EndCargaResponse, error) {
	terminada, err := s.Seguimiento.FinishCarga(ctx, tenant.EmpresaID(req.GetIdEmpresa()))
	if err != nil {
		return nil, err
	}
	return &integracionv1.EndCargaResponse{IdEmpresa: req.GetIdEmpresa(), CargaTerminadaEn: rpc.Instant(terminada)}, nil
}

// SetClaveEntrada implements EmpresaService.
func (s *EmpresaServer) SetClaveEntrada(ctx context.Context, req *integracionv1.SetClaveEntradaRequest) (*integracionv1.SetClaveEntradaResponse, error) {
	id := tenant.EmpresaID(req.GetIdEmpresa())
	clave, err := s.Empresas.SetClaveEntrada(ctx, id, cuentas.Secreto(req.GetClave().GetClave()))
	if err != nil {
		return nil, err
	}
	return &integracionv1.SetClaveEntradaResponse{Acceso: s.accesoOf(id, clave)}, nil
}

// SetClaveSalida implements EmpresaService.
func (s *EmpresaServer) SetClaveSalida(ctx context.Context, req *integracionv1.SetClaveSalidaRequest) (*integracionv1.SetClaveSalidaResponse, error) {
	salida := req.GetSalida()
	_, err := s.Empresas.SetClaveSalida(ctx, tenant.EmpresaID(req.GetIdEmpresa()), salida.GetUrl(), cuentas.Secreto(salida.GetClave()))
	e, err := s.readAfter(ctx, req.GetIdEmpresa(), err)
	return &integracionv1.SetClaveSalidaResponse{Empresa: e}, err
}

// readAfter gives the institution after a change, unless that was refused.
func (s *EmpresaServer) readAfter(ctx context.Context, id string, changed error) (*integracionv1.Empresa, error) {
	if changed != nil {
		return nil, changed
	}
	return s.read(ctx, id)
}

func (s *EmpresaServer) read(ctx context.Context, id string) (*integracionv1.Empresa, error) {
	p, err := s.Seguimiento.Panorama(ctx, tenant.EmpresaID(id))
	if err != nil {
		return nil, err
	}
	return s.empresaOf(p), nil
}

// ownURL is the address that is entered at the platform's portal.
func (s *EmpresaServer) ownURL(id tenant.EmpresaID) string {
	return strings.TrimRight(s.BaseURL, "/") + "/i/" + url.PathEscape(string(id))
}

func (s *EmpresaServer) accesoOf(id tenant.EmpresaID, clave cuentas.Secreto) *integracionv1.Acceso {
	return &integracionv1.Acceso{IdEmpresa: string(id), UrlBase: s.ownURL(id), Usuario: cuentas.UsuarioPUI, Clave: rpc.Optional(string(clave))}
}

func (s *EmpresaServer) empresaOf(p seguimiento.Panorama) *integracionv1.Empresa {
	wire := &integracionv1.Empresa{
		IdEmpresa:        string(p.ID),
		Nombre:           p.Nombre,
		InstitucionId:    p.InstitucionID,
		Estado:           string(p.Estado),
		UrlBase:          s.ownURL(p.ID),
		PuiUrl:           rpc.Optional(p.PUIURL),
		Sitio:            wireSitio(p.Sitio),
		TipoEventoNeutro: rpc.Optional(p.TipoEventoNeutro),
		EntregaPausadaEn: rpc.OptionalInstant(p.EntregaPausadaEn),
		CreadaEn:         rpc.Instant(p.CreadaEn),
		ReportesActivos:  int32(p.ReportesActivos),
		LlavesActivas:    int32(p.LlavesActivas),
		LlaveCaducaEn:    rpc.OptionalInstant(p.LlaveCaducaEn),
		Pasos: &integracionv1.Pasos{
			ClaveEntrada: p.Pasos.ClaveEntrada, ClaveSalida: p.Pasos.ClaveSalida, Llave: p.Pasos.Llave, PrimerUso: p.Pasos.PrimerUso,
			PrimeraActivacionPrueba: p.Pasos.PrimeraActivacionPrueba, PrimerReporte: p.Pasos.PrimerReporte,
			Sitio: p.Pasos.Sitio,
		},
	}
	if a := p.Actividad; a != nil {
		wire.Pasos.PrimerRegistro, wire.Pasos.CargaTerminada = !a.UltimoRegistroEn.IsZero(), !a.CargaTerminadaEn.IsZero()
		wire.Actividad = &integracionv1.Actividad{
			UltimoRegistroEn:        rpc.OptionalInstant(a.UltimoRegistroEn),
			CoincidenciasPendientes: int32(a.Pendientes),
			PendienteDesde:          rpc.OptionalInstant(a.PendienteDesde),
			CoincidenciasRechazadas: int32(a.Rechazadas),
			FinalesRechazados:       int32(a.FinalesRechazados),
			CargaTerminadaEn:        rpc.OptionalInstant(a.CargaTerminadaEn),
		}
	}
	return wire
}

func sitioOf(s *integracionv1.NuevoSitio) cuentas.Sitio {
	return cuentas.Sitio{Descripcion: s.GetDescripcion(), Direccion: manual.Direccion{
		Direccion: s.GetDireccion(), Calle: s.GetCalle(), Numero: s.GetNumero(), Colonia: s.GetColonia(), CodigoPostal: s.GetCodigoPostal(),
		MunicipioOAlcaldia: s.GetMunicipioOAlcaldia(), EntidadFederativa: s.GetEntidadFederativa(),
	}}
}

// wireSitio is absent for no site.
func wireSitio(s cuentas.Sitio) *integracionv1.Sitio {
	if s.IsZero() {
		return nil
	}
	d := s.Direccion
	return &integracionv1.Sitio{
		Descripcion: rpc.Optional(s.Descripcion), Direccion: rpc.Optional(d.Direccion), Calle: rpc.Optional(d.Calle), Numero: rpc.Optional(d.Numero),
		Colonia: rpc.Optional(d.Colonia), CodigoPostal: rpc.Optional(d.CodigoPostal),
		MunicipioOAlcaldia: rpc.Optional(d.MunicipioOAlcaldia), EntidadFederativa: rpc.Optional(d.EntidadFederativa),
	}
}
