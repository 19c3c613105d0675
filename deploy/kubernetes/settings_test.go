package kubernetes

import (
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/enlace-iis/enlace/deploy/settings/declared"
)

var settingInvariants = []invariant{
	{
		name: "every variable is a setting that the program reads", check: checkSettings,
		breaks: map[string]damage{
			"a setting that is none": {"production", func(o *overlay) { o.configMap("gateway").Data["RATELIMIT"] = "1" }},
			"another program's":      {"production", func(o *overlay) { o.configMap("gateway").Data["PUI_TIMEOUT"] = "1s" }},
			"a file of none":         {"demo", func(o *overlay) { o.container("registros").Env[0].Name = "SECRETO_FILE" }},
			"given twice": {"demo", func(o *overlay) {
				c := o.container("gateway")
				c.Env = append(c.Env, corev1.EnvVar{Name: "STOP_DELAY", Value: "1s"})
			}},
			"given as value and file": {"demo", func(o *overlay) { o.configMap("registros").Data["SERVICE_SECRET"] = "x" }},
		},
	},
	{
		name: "every required setting is given", check: checkRequired,
		breaks: map[string]damage{
			"not to the service": {"production", func(o *overlay) { o.container("integracion").Env = nil }},
			"not to the job": {"production", func(o *overlay) {
				get[*batchv1.Job](o, "integracion-migrate").Spec.Template.Spec.Containers[0].Env = nil
			}},
		},
	},
	{
		name: "what would follow from the node's cores is bounded", check: checkBounds,
		breaks: map[string]damage{
			"connections": {"production", func(o *overlay) { delete(o.configMap("registros").Data, "DATABASE_MAX_CONNS") }},
			"jobs":        {"demo", func(o *overlay) { o.configMap("integracion").Data["JOBS_MAX_WORKERS"] = "0" }},
		},
	},
	{
		name: "a changed setting restarts its program", check: checkHashes,
		breaks: map[string]damage{
			"a name that stays": {"production", func(o *overlay) {
				m := o.configMap("gateway")
				for _, d := range of[*appsv1.Deployment](o.objects) {
					if d.Name == "gateway" {
						d.Spec.Template.Spec.Containers[0].EnvFrom[0].ConfigMapRef.Name = "gateway"
					}
				}
				m.Name = "gateway"
			}},
		},
	},
}

// isRead tells of variables that are read, but not as settings: by Go itself, before there are
// any, by OpenTelemetry, or by the database's driver.
func isRead(name string) bool {
	return name == "GOMEMLIMIT" || name == "GOGC" || name == "LOG_LEVEL" || strings.HasPrefix(name, "OTEL_") || strings.HasPrefix(name, "PGSSL")
}

var allSettings = sync.OnceValue(func() []declared.Setting {
	all, err := declared.Settings("../..", declared.Programs)
	if err != nil {
		panic(err)
	}
	return all
})

// settingsOf gives what a program reads.
func settingsOf(program string) []declared.Setting {
	var own []declared.Setting
	for _, s := range allSettings() {
		if s.Program == program {
			own = append(own, s)
		}
	}
	return own
}

func isOurs(image string) bool { return strings.HasPrefix(image, "enlace/") }

// imageName is the image without registry and tag, "enlace/gateway".
func imageName(image string) string {
	image, _, _ = strings.Cut(image, "@")
	name, _, _ := strings.Cut(path.Base(image), ":")
	if strings.HasSuffix(path.Dir(image), "enlace") {
		return "enlace/" + name
	}
	return name
}

// environment gives the values that a container finds; those of a field are empty.
func (o *overlay) environment(c corev1.Container) map[string]string {
	values := map[string]string{}
	for _, from := range c.EnvFrom {
		if m := o.settingsIn(from); m != nil {
			maps.Copy(values, m.Data)
		}
	}
	for _, e := range c.Env {
		values[e.Name] = e.Value
	}
	return values
}

func checkSettings(o *overlay) (problems []string) {
	for _, w := range o.workloads() {
		if !isOurs(w.image) {
			continue
		}
		var known []string
		for _, s := range settingsOf(strings.TrimPrefix(w.image, "enlace/")) {
			known = append(known, s.Variable, s.Variable+"_FILE")
		}
		c := w.template.Spec.Containers[0]
		given := o.environment(c)
		for name := range given {
			if !slices.Contains(known, name) && !isRead(name) {
				problems = append(problems, w.name+": does not read "+name)
			}
			if _, both := given[name+"_FILE"]; both {
				problems = append(problems, w.name+": "+name+" is given as value and as file")
			}
		}
		for _, from := range c.EnvFrom {
			for _, e := range c.Env {
				if m := o.settingsIn(from); m != nil && m.Data[e.Name] != "" {
					problems = append(problems, w.name+": "+e.Name+" is given twice")
				}
			}
		}
	}
	return problems
}

// checkRequired: what DATABASE_URL_MIGRATION is to the job, the rest is to the service.
func checkRequired(o *overlay) (problems []string) {
	for _, w := range o.workloads() {
		given := o.environment(w.template.Spec.Containers[0])
		for _, s := range settingsOf(strings.TrimPrefix(w.image, "enlace/")) {
			ofJob := s.Variable == "DATABASE_URL_MIGRATION"
			if s.Required && ofJob == (w.selector == nil) && given[s.Variable] == "" && given[s.Variable+"_FILE"] == "" {
				problems = append(problems, w.name+": lacks "+s.Variable)
			}
		}
	}
	return problems
}

// checkBounds: left to themselves, connections and jobs follow from the number of cores of the
// node, which may be many and are not the container's.
func checkBounds(o *overlay) (problems []string) {
	for _, w := range o.workloads() {
		if w.name != "registros" && w.name != "integracion" {
			continue
		}
		given := o.environment(w.template.Spec.Containers[0])
		for _, name := range []string{"DATABASE_MAX_CONNS", "JOBS_MAX_WORKERS"} {
			if given[name] == "" || given[name] == "0" {
				problems = append(problems, w.name+": "+name+" is left to the node")
			}
		}
	}
	return problems
}

// checkHashes: kustomize ends the name of a generated ConfigMap with a hash of its content,
// so that a pod's template changes with it.
func checkHashes(o *overlay) (problems []string) {
	for _, w := range o.workloads() {
		for _, from := range w.template.Spec.Containers[0].EnvFrom {
			if from.ConfigMapRef == nil || !strings.HasPrefix(from.ConfigMapRef.Name, w.name+"-") {
				problems = append(problems, w.name+": a changed setting goes unnoticed")
			}
		}
	}
	return problems
}
