package cuentas

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// Institucion is an Empresa as the platform sees it: where it is called and as whom.
type Institucion struct {
	EmpresaID tenant.EmpresaID
	ID        string // institucion_id
	URL       string // base address, without a slash at its end
	Clave     Secreto
	// Sitio is where its events took place that do not say so themselves.
	Sitio Sitio
	// TipoEventoNeutro is told in the place of an event that names health data; empty: the usual text.
	TipoEventoNeutro string
}

const maxClaveSalida = 50

// SetClaveSalida sets how an institution calls the platform.
func (s *Empresas) SetClaveSalida(ctx context.Context, id tenant.EmpresaID, address string, clave Secreto) (Empresa, error) {
	address, err := normalizeURL(address, s.AllowHTTP)
	if err != nil {
		return Empresa{}, err
	}
	n := utf8.RuneCountInString(string(clave))
	if n == 0 || n > maxClaveSalida || manual.HasControl(string(clave)) {
		return Empresa{}, errs.New(errores.Validacion, fmt.Sprintf("La clave de salida debe tener entre 1 y %d caracteres.", maxClaveSalida))
	}
	sellada, err := s.Caja.Seal(clave, contextoSalida(id))
	if err != nil {
		return Empresa{}, fmt.Errorf("seal clave: %w", err)
	}
	return s.Store.SetSalida(ctx, id, address, sellada)
}

// OpenSalida gives the institution with the clave that was sealed for it.
func OpenSalida(caja Caja, i Institucion, clave Sellado) (Institucion, error) {
	var err error
	i.Clave, err = caja.Open(clave, contextoSalida(i.EmpresaID))
	return i, err
}

// contextoSalida binds a sealed clave to its institution and purpose.
func contextoSalida(id tenant.EmpresaID) string {
	return "pui_clave:" + string(id)
}

// normalizeURL checks the base address of the platform and drops a slash at its end: the
// names of the endpoints are appended to it unchanged (pui.md 1.0).
func normalizeURL(address string, allowHTTP bool) (string, error) {
	parsed, err := url.Parse(strings.TrimSpace(address))
	if err != nil || parsed.Host == "" || parsed.User != nil || parsed.RawQuery != "" || parsed.Fragment != "" {
		return "", errs.New(errores.Validacion, "La dirección de la plataforma debe ser una URL completa, sin usuario, parámetros ni fragmento.")
	}
	if parsed.Scheme != "https" && (parsed.Scheme != "http" || !allowHTTP) {
		return "", errs.New(errores.Validacion, "La dirección de la plataforma debe comenzar con https://.")
	}
	return strings.TrimRight(parsed.String(), "/"), nil
}
