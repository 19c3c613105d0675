package kubernetes

import (
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

var databaseInvariants = []invariant{
	{
		name: "a database elsewhere is reached with TLS, and must be who its address says", check: checkDatabaseTLS,
		breaks: map[string]damage{
			"plain text is admitted": {"production", func(o *overlay) { o.configMap("registros").Data["DATABASE_PLAINTEXT"] = "true" }},
			"any certificate is good": {"production", func(o *overlay) {
				variable(o.container("integracion"), "PGSSLMODE").Value = "require"
			}},
			"the job says nothing": {"production", func(o *overlay) {
				c := &get[*batchv1.Job](o, "registros-migrate").Spec.Template.Spec.Containers[0]
				c.Env = slices.DeleteFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == "PGSSLMODE" })
			}},
			"no authority": {"production", func(o *overlay) { delete(o.configMap("database-ca").Data, "ca.pem") }},
			"its file is not mounted": {"production", func(o *overlay) {
				c := o.container("registros")
				c.VolumeMounts = slices.DeleteFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return m.Name == "database-ca" })
			}},
			"the demo's would refuse to start": {"demo", func(o *overlay) { delete(o.configMap("integracion").Data, "DATABASE_PLAINTEXT") }},
			"its job would": {"demo", func(o *overlay) {
				variable(&get[*batchv1.Job](o, "integracion-migrate").Spec.Template.Spec.Containers[0], "DATABASE_PLAINTEXT").Value = "false"
			}},
		},
	},
}

func variable(c *corev1.Container, name string) *corev1.EnvVar {
	return &c.Env[slices.IndexFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == name })]
}

// checkDatabaseTLS: the demo's PostgreSQL is in its own namespace and has no certificate.
func checkDatabaseTLS(o *overlay) (problems []string) {
	for _, w := range o.workloads() {
		program := strings.TrimPrefix(w.image, "enlace/")
		if program != "registros" && program != "integracion" {
			continue
		}
		c := w.template.Spec.Containers[0]
		given := o.environment(c)
		if o.name == "demo" {
			if given["DATABASE_PLAINTEXT"] != "true" {
				problems = append(problems, w.name+": refuses the demo's database")
			}
			continue
		}
		if given["DATABASE_PLAINTEXT"] != "" {
			problems = append(problems, w.name+": takes a database without TLS")
		}
		if given["PGSSLMODE"] != "verify-full" || !o.hasFile(w, c, given["PGSSLROOTCERT"]) {
			problems = append(problems, w.name+": does not know its database by its authority")
		}
	}
	return problems
}
