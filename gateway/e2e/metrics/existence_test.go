package metrics

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/deploy/observabilidad"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// ofEmpresas have no series while all is told, or before there is a record; TestNumbers_ofAnOutage
// sees them.
var ofEmpresas = []string{"enlace_coincidencia_undelivered_age_seconds", "enlace_record_quota_used_ratio"}

// TestMetrics_areThereForRulesAndPanels holds that no rule and no panel reads what is never
// told. Calls by RPC and status codes are told only once there was one; every other label
// has all of its values from the start.
func TestMetrics_areThereForRulesAndPanels(t *testing.T) {
	harness.Call(t, http.MethodGet, system.Addresses().BaseURL+"/", nil, nil).Want(t, http.StatusOK)
	all, err := observabilidad.Expressions()
	if err != nil {
		t.Fatal(err)
	}
	told := scrape(t)
	for _, expression := range all {
		reads, err := expression.Reads()
		if err != nil {
			t.Fatal(err)
		}
		known := []string{"le"}
		for _, selector := range reads.Selectors {
			known = append(known, told.labelsOf(selector.Name)...)
			if !exempt(selector.Name) && !told.has(selector) {
				t.Errorf("%s reads %s, which nobody tells", expression.Where, selector)
			}
		}
		for _, grouping := range reads.Groupings {
			if !slices.Contains(known, grouping) && !observabilidad.IsFromPrometheus(grouping) && !readsOfEmpresas(reads) {
				t.Errorf("%s groups by %s, which no series has", expression.Where, grouping)
			}
		}
	}
}

// Operators read the dashboard in Spanish, and what programs tell by English words too.
func TestLegends_areSpanish(t *testing.T) {
	panels, err := observabilidad.Panels()
	if err != nil {
		t.Fatal(err)
	}
	told, word := scrape(t), regexp.MustCompile(`\b(`+englishOutcomes+`|`+englishStates+`|primary|replica|jobs|[a-z]+_[a-z_]+)\b`)
	for _, panel := range panels {
		for _, target := range panel.Targets {
			for _, s := range told {
				if !strings.Contains(target.Expr, s.Name) {
					continue
				}
				legend, err := panel.Legend(target.LegendFormat, s.Labels)
				if err != nil {
					t.Fatal(err)
				}
				if found := word.FindString(legend); found != "" && !strings.Contains(legend, "/") {
					t.Errorf("%s writes %q, with %q", panel.Title, legend, found)
				}
			}
		}
	}
}

func exempt(name string) bool {
	return observabilidad.IsFromPrometheus(name) || slices.Contains(ofEmpresas, name)
}

func readsOfEmpresas(reads observabilidad.Reads) bool {
	return slices.ContainsFunc(reads.Selectors, func(s *parser.VectorSelector) bool { return slices.Contains(ofEmpresas, s.Name) })
}

func (n numbers) labelsOf(name string) []string {
	var names []string
	for _, s := range n {
		if s.Name == name {
			for label := range s.Labels {
				names = append(names, label)
			}
		}
	}
	return names
}

// has tells whether a series is there that a selector reads.
func (n numbers) has(selector *parser.VectorSelector) bool {
	return slices.ContainsFunc(n, func(s series) bool {
		return s.Name == selector.Name && !slices.ContainsFunc(selector.LabelMatchers, func(m *labels.Matcher) bool {
			return m.Name != model.MetricNameLabel && m.Name != "status" && !m.Matches(s.Labels[m.Name])
		})
	})
}

// What only programs call by these words.
const (
	englishOutcomes = `cached|asked|refused|grace|unanswered|deferred|accepted|duplicate|conflict|invalid|limited|failed`
	englishStates   = `available|pending|retryable|running|scheduled|closed|open|recovering`
)

// closed is every label of our metrics with all that it may be.
var closed = map[string]*regexp.Regexp{
	"method":   regexp.MustCompile(`^(GET|HEAD|POST|PUT|PATCH|DELETE|CONNECT|OPTIONS|TRACE|OTHER)$`),
	"status":   regexp.MustCompile(`^[1-5][0-9][0-9]$`),
	"le":       regexp.MustCompile(`^([0-9.e+]+|\+Inf)$`),
	"phase":    regexp.MustCompile(`^[123]$`),
	"result":   regexp.MustCompile(`^(creado|actualizado|sin_cambios|rechazado)$`),
	"role":     regexp.MustCompile(`^(pui|operador)$`),
	"noun":     regexp.MustCompile(`^(caso|registro|lote|reporte|aviso|evento)$`),
	"sample":   regexp.MustCompile(`^(jobs|casos|pendientes)$`),
	"database": regexp.MustCompile(`^(primary|replica)$`),
	"use":      regexp.MustCompile(`^(public|client|service)$`),
	"state":    regexp.MustCompile(`^(` + englishStates + `)$`),
	"outcome":  regexp.MustCompile(`^(` + englishOutcomes + `|aceptado|coincidencias_multiples|rechazado|credencial|direccion|limite|servidor|tiempo_agotado|red|interno|ilegible)$`),
	"kind": regexp.MustCompile(`^(search_caso|search_empresa|deliver_caso|search_forgotten|enqueue_forgotten(_reportes)?|purge_casos|purge_registros|purge_lotes|` +
		`sync_casos|finish_carga|forget_logins|seal_bitacora|purge_reportes|purge_avisos|purge_eventos|resync_reportes|resync_all|` +
		`coincidencias_rechazadas|finales_rechazados|envios_atascados|coincidencias_en_espera|respuesta_300|reporte_contradicho|entregas_pausadas|llave_por_vencer|institucion_silenciosa|carga_sin_terminar|reportes_sin_abrir)$`),
	"route": regexp.MustCompile(`^(|registros|lote|validar|eventos|login|notificar-coincidencia|busqueda-finalizada|reportes|` +
		`/|/(i/\{id_empresa\}/)?health|/errores/[a-z_]+|/(docs|redoc)(/[a-z0-9./-]*)?|/openapi\.json|/consola(/[a-z0-9_./-]*)?|/institucion/carga-terminada|/operador/[a-z-]+(/[a-z-]+|/\{[a-z_]+\})*|/(i/\{id_empresa\}/)?(login|activar-reporte(-prueba)?|desactivar-reporte)|` +
		`/cliente/(casos|coincidencias|reportes|sandbox/ping|registros|registros/lote|registros/validar)|` +
		`/webhooks/(eventos|api-keys|api-keys/\{id_empresa\}|api-keys/\{key_id\}/revocar))$`),
	"id_empresa": regexp.MustCompile(`^[A-ZÑ&]{3,4}[0-9]{6}[A-Z0-9]{3}$`),
}

// TestMetrics_nameNobody holds that labels are of the closed list, after traffic that tried
// to get other things into them.
func TestMetrics_nameNobody(t *testing.T) {
	i := system.NewInstitucion(t)
	for _, path := range []string{"/" + harness.CurpUno, "/cliente/casos/" + harness.CurpUno, "/i/" + harness.CurpUno + "/login", "/webhooks/api-keys/" + i.ApiKey} {
		harness.Call(t, "NOMBRE", i.BaseURL+path, nil, nil)
		i.Get(t, path)
	}
	i.Post(t, "/cliente/registros", harness.Registro("FOLIO-DE-NADIE", harness.CurpUno, harness.Day(-1)))
	for _, s := range scrape(t) {
		if !strings.HasPrefix(s.Name, "enlace_") {
			continue
		}
		for label, value := range s.Labels {
			form, known := closed[label]
			if !known || !form.MatchString(value) {
				t.Errorf("%s has the label %s=%q, which is not of the list", s.Name, label, value)
			}
			if label == "id_empresa" && !slices.Contains(ofEmpresas, s.Name) {
				t.Errorf("%s names an institution", s.Name)
			}
		}
	}
	for _, program := range []string{stack.Gateway, stack.Registros, stack.Integracion} {
		page := string(pageOf(t, program))
		for _, personal := range []string{harness.CurpUno, harness.CurpDos, "FOLIO-DE-NADIE", "NOMBRE", "5555555555", i.ApiKey, i.Clave} {
			if strings.Contains(page, personal) {
				t.Errorf("%s tells %q", program, personal)
			}
		}
	}
}
