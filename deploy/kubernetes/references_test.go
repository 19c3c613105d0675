package kubernetes

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var referenceInvariants = []invariant{
	{
		name: "what a pod refers to exists", check: checkReferences,
		breaks: map[string]damage{
			"no secret":      {"production", func(o *overlay) { o.secrets = o.secrets[1:] }},
			"no key":         {"production", func(o *overlay) { delete(o.secret("integracion").Data, "JWT_SECRET") }},
			"an empty key":   {"demo", func(o *overlay) { o.secret("integracion").Data["JWT_SECRET"] = nil }},
			"another folder": {"demo", func(o *overlay) { o.container("registros").VolumeMounts[0].MountPath = "/run/secrets" }},
			"another volume": {"demo", func(o *overlay) { o.container("registros").VolumeMounts[0].Name = "secrets" }},
			"no settings":    {"production", func(o *overlay) { drop[*corev1.ConfigMap](o, o.configMap("gateway").Name) }},
			"no account":     {"production", func(o *overlay) { drop[*corev1.ServiceAccount](o, "gateway") }},
			"no script":      {"demo", func(o *overlay) { drop[*corev1.ConfigMap](o, o.configMap("postgres-initdb").Name) }},
			"the secret of another": {"production", func(o *overlay) {
				get[*appsv1.Deployment](o, "registros").Spec.Template.Spec.Volumes[0].Secret.SecretName = "registros-migrate"
			}},
		},
	},
	{
		name: "no secret is where all may read it", check: checkSecrecy,
		breaks: map[string]damage{
			"in a setting": {"production", func(o *overlay) { o.configMap("registros").Data["DATABASE_URL"] = "postgres://u:p@h/d" }},
			"in the environment": {"demo", func(o *overlay) {
				c := o.container("integracion")
				c.Env = append(c.Env, corev1.EnvVar{Name: "JWT_SECRET", Value: "x"})
			}},
			"with the overlay": {"production", func(o *overlay) { o.objects = append(o.objects, o.secrets[0]) }},
			"the owner's with the service": {"production", func(o *overlay) {
				o.secret("registros").Data["DATABASE_URL_MIGRATION"] = []byte("x")
			}},
			"for every user of the container": {"production", func(o *overlay) {
				get[*appsv1.Deployment](o, "registros").Spec.Template.Spec.Volumes[0].Secret.DefaultMode = nil
			}},
		},
	},
	{
		name: "all is in the overlay's own namespace", check: checkNamespace,
		breaks: map[string]damage{
			"another":             {"demo", func(o *overlay) { get[*appsv1.Deployment](o, "gateway").Namespace = "default" }},
			"none":                {"demo", func(o *overlay) { get[*appsv1.Deployment](o, "gateway").Namespace = "" }},
			"a secret in another": {"production", func(o *overlay) { o.secrets[0].Namespace = "enlace-demo" }},
		},
	},
}

// configMap gives the ConfigMap of a name, whose end is a hash of its content.
func (o *overlay) configMap(name string) *corev1.ConfigMap {
	for _, m := range of[*corev1.ConfigMap](o.objects) {
		if m.Name[:strings.LastIndex(m.Name, "-")] == name {
			return m
		}
	}
	panic("no ConfigMap " + name)
}

func (o *overlay) secret(name string) *corev1.Secret {
	for _, s := range o.secrets {
		if s.Name == name {
			return s
		}
	}
	return nil
}

func checkReferences(o *overlay) (problems []string) {
	for _, w := range o.workloads() {
		spec := &w.template.Spec
		if !slices.ContainsFunc(of[*corev1.ServiceAccount](o.objects), func(a *corev1.ServiceAccount) bool { return a.Name == spec.ServiceAccountName }) {
			problems = append(problems, w.name+": has no account "+spec.ServiceAccountName)
		}
		for _, c := range spec.Containers {
			for _, from := range c.EnvFrom {
				if o.settingsIn(from) == nil {
					problems = append(problems, w.name+": its settings are not there")
				}
			}
			for _, mount := range c.VolumeMounts {
				if o.filesOf(w, mount) == nil {
					problems = append(problems, w.name+": nothing is mounted at "+mount.MountPath)
				}
			}
			for _, e := range c.Env {
				if strings.HasSuffix(e.Name, "_FILE") && !o.hasFile(w, c, e.Value) {
					problems = append(problems, fmt.Sprintf("%s: %s names a file that is not there, %s", w.name, e.Name, e.Value))
				}
			}
		}
	}
	return problems
}

// settingsIn gives the ConfigMap that a container takes its environment from.
func (o *overlay) settingsIn(from corev1.EnvFromSource) *corev1.ConfigMap {
	for _, m := range of[*corev1.ConfigMap](o.objects) {
		if from.ConfigMapRef != nil && from.ConfigMapRef.Name == m.Name {
			return m
		}
	}
	return nil
}

func (o *overlay) hasFile(w workload, c corev1.Container, file string) bool {
	return slices.ContainsFunc(c.VolumeMounts, func(mount corev1.VolumeMount) bool {
		return mount.MountPath == path.Dir(file) && slices.Contains(o.filesOf(w, mount), path.Base(file))
	})
}

// filesOf names the files, not empty, of what is mounted; nil means that it does not exist.
func (o *overlay) filesOf(w workload, mount corev1.VolumeMount) []string {
	for _, s := range of[*appsv1.StatefulSet](o.objects) {
		if s.Name == w.name && slices.ContainsFunc(s.Spec.VolumeClaimTemplates, func(claim corev1.PersistentVolumeClaim) bool { return claim.Name == mount.Name }) {
			return []string{}
		}
	}
	for _, volume := range w.template.Spec.Volumes {
		switch {
		case volume.Name != mount.Name:
		case volume.EmptyDir != nil:
			return []string{}
		case volume.PersistentVolumeClaim != nil:
			for _, claim := range of[*corev1.PersistentVolumeClaim](o.objects) {
				if claim.Name == volume.PersistentVolumeClaim.ClaimName {
					return []string{}
				}
			}
		case volume.Secret != nil && o.secret(volume.Secret.SecretName) != nil:
			var names []string
			for name, content := range o.secret(volume.Secret.SecretName).Data {
				if len(content) > 0 {
					names = append(names, name)
				}
			}
			return names
		case volume.ConfigMap != nil:
			for _, m := range of[*corev1.ConfigMap](o.objects) {
				if m.Name == volume.ConfigMap.Name {
					return slices.Collect(maps.Keys(m.Data))
				}
			}
		}
	}
	return nil
}

// checkSecrecy: every required setting is a secret, so none is given as a value. The service
// has what it serves with, the job what it migrates with.
func checkSecrecy(o *overlay) (problems []string) {
	for _, w := range o.workloads() {
		for _, s := range settingsOf(strings.TrimPrefix(w.image, "enlace/")) {
			for _, c := range w.template.Spec.Containers {
				if _, open := o.environment(c)[s.Variable]; open && s.Required {
					problems = append(problems, w.name+": "+s.Variable+" is given openly")
				}
			}
		}
		for _, volume := range w.template.Spec.Volumes {
			if volume.Secret == nil {
				continue
			}
			if mode := volume.Secret.DefaultMode; mode == nil || *mode != 0o440 {
				problems = append(problems, w.name+": every user of the container reads "+volume.Secret.SecretName)
			}
			if secret := o.secret(volume.Secret.SecretName); secret != nil && w.selector != nil && secret.Data["DATABASE_URL_MIGRATION"] != nil {
				problems = append(problems, w.name+": could change the schema")
			}
		}
	}
	if o.name == "production" && len(of[*corev1.Secret](o.objects)) > 0 {
		problems = append(problems, "the overlay brings Secrets")
	}
	return problems
}

func checkNamespace(o *overlay) (problems []string) {
	spaces := of[*corev1.Namespace](o.objects)
	if len(spaces) != 1 {
		return []string{fmt.Sprintf("%d namespaces", len(spaces))}
	}
	for _, object := range o.objects {
		named, ok := object.(metav1.Object)
		if _, isSpace := object.(*corev1.Namespace); ok && !isSpace && named.GetNamespace() != spaces[0].Name {
			problems = append(problems, fmt.Sprintf("%T %s is in namespace %q", object, named.GetName(), named.GetNamespace()))
		}
	}
	for _, secret := range o.secrets {
		if secret.Namespace != spaces[0].Name {
			problems = append(problems, fmt.Sprintf("the Secret %s is in namespace %q", secret.Name, secret.Namespace))
		}
	}
	return problems
}
