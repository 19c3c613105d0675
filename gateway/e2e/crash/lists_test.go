//go:build linux && crash

package crash

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"
)

// list reads a list of an institution, once it is answered.
func (i *Institucion) list(ctx context.Context, path string, target any) error {
	var asked Span
	return i.client.Insist(ctx, &asked, call{method: http.MethodGet, path: path, header: withKey(i.apiKey)}, target)
}

// listed tells what the lists do not hold of a round, or not as the platform has it.
func (r *run) listed(ctx context.Context, one *round) []string {
	var missing []string
	for _, i := range one.empresas {
		var casos []caso
		var coincidencias []coincidencia
		err := errors.Join(i.list(ctx, "/cliente/casos", &casos), i.list(ctx, "/cliente/coincidencias", &coincidencias))
		if err != nil {
			return []string{err.Error()}
		}
		estados, matches := map[string][]string{}, map[string][]string{}
		for _, c := range casos {
			estados[c.ReporteID] = append(estados[c.ReporteID], c.Estado)
		}
		for _, c := range coincidencias {
			matches[c.ReporteID] = append(matches[c.ReporteID], c.Estado)
		}
		for key, ciclos := range one.ciclos {
			if key.empresa != i.ID {
				continue
			}
			told := r.judgeReporte(one, key)
			missing = append(missing, compare(ciclos, estados[key.reporteID], matches[key.reporteID], told)...)
		}
	}
	return missing
}

// judgeReporte counts the matches of a report that the platform has.
func (r *run) judgeReporte(one *round, key clave) int {
	told := 0
	for n, part := range Split(one.ciclos[key], r.ledger.Llegadas(key.empresa, key.reporteID)) {
		told += Judge(one.ciclos[key][n], about(one.versions, one.ciclos[key][n]), part, nil).Matches
	}
	return told
}

// kept sends every record of a round again, as it was sent last: each is there, unchanged.
func (one *round) kept(ctx context.Context) error {
	byEmpresa := map[string]map[string]Version{}
	for _, v := range one.versions {
		if byEmpresa[v.Empresa] == nil {
			byEmpresa[v.Empresa] = map[string]Version{}
		}
		if v.Number > byEmpresa[v.Empresa][v.Folio].Number {
			byEmpresa[v.Empresa][v.Folio] = v
		}
	}
	var problems []error
	for id, newest := range byEmpresa {
		for chunk := range slices.Chunk(slices.Collect(maps.Values(newest)), registrosMax) {
			problems = append(problems, one.empresas[id].resend(ctx, chunk))
		}
	}
	return errors.Join(problems...)
}

// registrosMax is how many records one request may have that tells what became of each.
const registrosMax = 100

// resend sends records that must be there already.
func (i *Institucion) resend(ctx context.Context, versions []Version) error {
	records := make([]map[string]any, len(versions))
	for n, v := range versions {
		records[n] = record(v)
	}
	var answer struct {
		Registros []struct{ Folio, Resultado string }
	}
	var asked Span
	err := i.client.Insist(ctx, &asked, call{
		method: http.MethodPost, path: "/cliente/registros", header: withKey(i.apiKey), body: records,
	}, &answer)
	if err != nil {
		return err
	}
	var missing lost
	for _, one := range answer.Registros {
		if one.Resultado != "sin_cambios" {
			missing = append(missing, fmt.Sprintf("%s: record %s was not there as it was sent last (%s)", i.ID, one.Folio, one.Resultado))
		}
	}
	if len(missing) > 0 {
		return missing
	}
	return nil
}

// poll reads the lists again and again: an answer with success is a whole array, and what a
// list of casos or matches showed once it goes on showing.
func (r *run) poll(ctx context.Context, i *Institucion) error {
	longest := map[string]int{}
	for began := time.Now(); time.Since(began) < roundTime; {
		for _, path := range []string{"/cliente/casos", "/cliente/coincidencias", "/cliente/reportes"} {
			status, body, err := r.client.Once(ctx, call{method: http.MethodGet, path: path, header: withKey(i.apiKey)})
			if err != nil || status >= http.StatusInternalServerError {
				continue
			}
			var rows []json.RawMessage
			err = json.Unmarshal(body, &rows)
			if err != nil || status != http.StatusOK {
				return fmt.Errorf("%s: status %d, %d bytes: %w", path, status, len(body), err)
			}
			recent := path == "/cliente/reportes"
			if recent && len(rows) > 50 || !recent && len(rows) < longest[path] {
				return fmt.Errorf("%s: %d rows, after %d", path, len(rows), longest[path])
			}
			longest[path] = len(rows)
		}
		<-time.After(attemptPause)
	}
	return nil
}

const (
	// revokedWithin is how soon every replica refuses a revoked key.
	revokedWithin = time.Second
	// graceTime is how long a fault goes on to matter for keys: their word may have been
	// kept back until its end.
	graceTime = 2 * time.Second
)

// keys issues a key, uses it and revokes it. It works at once, and is refused within a second.
func (r *run) keys(ctx context.Context, i *Institucion) error {
	key, err := r.issue(ctx, i.ID)
	if err != nil {
		return err
	}
	ping := call{method: http.MethodPost, path: "/cliente/sandbox/ping", header: withKey(key.ApiKey)}
	var used, revoked Span
	err = r.client.Insist(ctx, &used, ping, nil)
	if err != nil {
		return fmt.Errorf("use new key: %w", err)
	}
	err = r.client.Insist(ctx, &revoked, call{
		method: http.MethodPost, path: "/webhooks/api-keys/" + key.ID + "/revocar", header: r.operator.header(ctx),
	}, nil)
	if err != nil {
		return err
	}
	<-time.After(revokedWithin)
	return r.refused(ctx, revoked.Acked, ping)
}

// refused holds that a key is refused by every gateway; only a fault may put it off.
func (r *run) refused(ctx context.Context, since time.Duration, ping call) error {
	for limit := r.ledger.Now() + ackLimit; ; {
		refusals := 0
		for range 2 * len(r.client.Gateways) {
			status, _, err := r.client.Once(ctx, ping)
			if err == nil && status == http.StatusUnauthorized {
				refusals++
			}
			_, disturbed := overlapping(r.ledger.Disturbances(), since-graceTime, r.ledger.Now(), func(d Disturbance) bool { return d.Keys })
			if err == nil && status < 300 && !disturbed {
				return errors.New("a revoked key was taken more than a second later")
			}
		}
		if refusals == 2*len(r.client.Gateways) {
			return nil
		}
		if r.ledger.Now() > limit {
			return errors.New("a revoked key was never refused")
		}
		<-time.After(attemptPause)
	}
}

// agree holds that the present simulator has what its door saw it take.
func (r *run) agree() {
	status, body, err := r.simulator(r.t.Context(), http.MethodGet, "/control/recibidos", nil)
	if err != nil || status != http.StatusOK {
		r.t.Fatalf("ask the simulator: status %d, %v", status, err)
	}
	var all []struct {
		Ruta   string
		Status int
	}
	must(r.t, json.Unmarshal(body, &all))
	taken := 0
	for _, one := range all {
		if one.Status == http.StatusOK && (one.Ruta == "notificar-coincidencia" || one.Ruta == "busqueda-finalizada") {
			taken++
		}
	}
	if taken != r.door.Taken() {
		r.t.Errorf("the platform has taken %d, and its door saw %d", taken, r.door.Taken())
	}
}
