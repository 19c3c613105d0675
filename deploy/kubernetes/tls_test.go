package kubernetes

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

var tlsInvariants = []invariant{
	{
		name: "pods speak with each other by TLS alone, with a certificate on both ends", check: checkMutualTLS,
		breaks: map[string]damage{
			"a service takes plain text": {"production", func(o *overlay) { delete(o.configMap("registros").Data, "TLS_CERT_FILE") }},
			"a service takes anybody":    {"production", func(o *overlay) { delete(o.configMap("integracion").Data, "TLS_CLIENT_CA_FILE") }},
			"a service calls anybody":    {"production", func(o *overlay) { delete(o.configMap("registros").Data, "TLS_SERVER_CA_FILE") }},
			"the gateway shows nothing":  {"production", func(o *overlay) { delete(o.configMap("gateway").Data, "TLS_CLIENT_KEY_FILE") }},
			"the gateway's port is open": {"production", func(o *overlay) { delete(o.configMap("gateway").Data, "TLS_KEY_FILE") }},
			"another's certificate": {"production", func(o *overlay) {
				volume(o, "registros", "tls").Secret.SecretName = "integracion-tls"
			}},
			"the folder is not mounted": {"production", func(o *overlay) {
				c := o.container("gateway")
				c.VolumeMounts = slices.DeleteFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return m.Name == "tls" })
			}},
			"the ingress speaks plain text": {"production", func(o *overlay) {
				delete(get[*networkingv1.Ingress](o, "gateway").Annotations, "nginx.ingress.kubernetes.io/backend-protocol")
			}},
			"the ingress believes anybody": {"production", func(o *overlay) {
				get[*networkingv1.Ingress](o, "gateway").Annotations["nginx.ingress.kubernetes.io/proxy-ssl-verify"] = "off"
			}},
		},
	},
}

func volume(o *overlay, deployment, name string) *corev1.Volume {
	volumes := get[*appsv1.Deployment](o, deployment).Spec.Template.Spec.Volumes
	return &volumes[slices.IndexFunc(volumes, func(v corev1.Volume) bool { return v.Name == name })]
}

// mutual are the settings without which a program would speak or take plain text, or not say who it is.
var mutual = map[string][]string{
	"registros":   {"TLS_CERT_FILE", "TLS_KEY_FILE", "TLS_CLIENT_CA_FILE", "TLS_SERVER_CA_FILE"},
	"integracion": {"TLS_CERT_FILE", "TLS_KEY_FILE", "TLS_CLIENT_CA_FILE", "TLS_SERVER_CA_FILE"},
	"gateway":     {"TLS_CERT_FILE", "TLS_KEY_FILE", "TLS_CLIENT_CERT_FILE", "TLS_CLIENT_KEY_FILE", "TLS_SERVER_CA_FILE"},
}

// checkMutualTLS: the demo, of invented data, has no certificates.
func checkMutualTLS(o *overlay) (problems []string) {
	if o.name == "demo" {
		return nil
	}
	for _, w := range o.workloads() {
		for _, name := range mutual[w.name] {
			c := w.template.Spec.Containers[0]
			if file := o.environment(c)[name]; file == "" || !o.hasFile(w, c, file) {
				problems = append(problems, w.name+": "+name+" names no file")
			}
		}
		for _, v := range w.template.Spec.Volumes {
			if v.Name == "tls" && v.Secret.SecretName != w.name+"-tls" {
				problems = append(problems, w.name+": shows the certificate of another")
			}
		}
	}
	for name, want := range map[string]string{
		"backend-protocol": "HTTPS", "proxy-ssl-verify": "on", "proxy-ssl-name": "gateway", "proxy-ssl-secret": "enlace/gateway-tls",
	} {
		if got := get[*networkingv1.Ingress](o, "gateway").Annotations["nginx.ingress.kubernetes.io/"+name]; got != want {
			problems = append(problems, "the ingress has "+name+" "+got)
		}
	}
	return problems
}

// cert-manager makes the Secrets that the pods mount, each for the name by which its pod is called.
func TestCertManager_makesTheSameSecrets(t *testing.T) {
	t.Parallel()
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), "overlays/production/cert-manager")
	if err != nil {
		t.Fatal(err)
	}
	made := map[string]string{}
	for _, r := range resources.Resources() {
		if names, err := r.GetSlice("spec.dnsNames"); err == nil && r.GetNamespace() == "enlace" {
			secret, _ := r.GetString("spec.secretName")
			made[secret] = fmt.Sprint(names)
		}
	}
	want := map[string]string{"registros-tls": "[registros]", "integracion-tls": "[integracion]", "gateway-tls": "[gateway]"}
	if !maps.Equal(made, want) {
		t.Errorf("cert-manager makes %v, want %v", made, want)
	}
}
