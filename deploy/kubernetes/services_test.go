package kubernetes

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

var serviceInvariants = []invariant{
	{
		name: "services lead to a port of one workload", check: checkServices,
		breaks: map[string]damage{
			"another selector": {"production", func(o *overlay) {
				get[*corev1.Service](o, "gateway").Spec.Selector["app.kubernetes.io/name"] = "puerta"
			}},
			"a port that is not there": {"demo", func(o *overlay) {
				get[*corev1.Service](o, "registros").Spec.Ports[0].TargetPort = intstr.FromString("h2")
			}},
			"two workloads": {"demo", func(o *overlay) {
				get[*corev1.Service](o, "gateway").Spec.Selector = map[string]string{"app.kubernetes.io/part-of": "enlace"}
			}},
			"a port outside of the cluster": {"production", func(o *overlay) {
				get[*corev1.Service](o, "gateway").Spec.Type = corev1.ServiceTypeLoadBalancer
			}},
		},
	},
	{
		name: "gRPC calls find every replica", check: checkTargets,
		breaks: map[string]damage{
			"one address for all": {"production", func(o *overlay) { get[*corev1.Service](o, "registros").Spec.ClusterIP = "" }},
			"another name":        {"production", func(o *overlay) { o.configMap("gateway").Data["REGISTROS_TARGET"] = "dns:///registro:9091" }},
			"another port":        {"demo", func(o *overlay) { o.configMap("registros").Data["INTEGRACION_TARGET"] = "dns:///integracion:9091" }},
			"looked up once": {"demo", func(o *overlay) {
				o.configMap("registros").Data["INTEGRACION_TARGET"] = "passthrough:///integracion:9092"
			}},
			"none given": {"demo", func(o *overlay) { delete(o.configMap("integracion").Data, "REGISTROS_TARGET") }},
		},
	},
	{
		name: "programs listen where their containers say", check: checkListeners,
		breaks: map[string]damage{
			"another container port": {"production", func(o *overlay) { o.container("registros").Ports[0].ContainerPort = 9092 }},
			"another address":        {"production", func(o *overlay) { o.configMap("gateway").Data["HTTP_ADDR"] = ":8081" }},
			"another metrics port": {"demo", func(o *overlay) {
				get[*appsv1.Deployment](o, "integracion").Spec.Template.Annotations["prometheus.io/port"] = "9191"
			}},
		},
	},
	{
		name: "the ingress speaks TLS as the host that the gateway calls itself, and operators enter at the portal", check: checkIngress,
		breaks: map[string]damage{
			"no ingress":        {"production", func(o *overlay) { drop[*networkingv1.Ingress](o, "gateway") }},
			"no TLS":            {"production", func(o *overlay) { get[*networkingv1.Ingress](o, "gateway").Spec.TLS = nil }},
			"TLS of another":    {"production", func(o *overlay) { get[*networkingv1.Ingress](o, "gateway").Spec.TLS[0].Hosts[0] = "otro.example" }},
			"no certificate":    {"production", func(o *overlay) { get[*networkingv1.Ingress](o, "gateway").Spec.TLS[0].SecretName = "" }},
			"another host":      {"production", func(o *overlay) { o.configMap("gateway").Data["PUBLIC_URL"] = "https://otro.example" }},
			"another to enter":  {"production", func(o *overlay) { o.configMap("integracion").Data["PUBLIC_URL"] = "https://otro.example" }},
			"no TLS in the URL": {"production", func(o *overlay) { o.configMap("gateway").Data["PUBLIC_URL"] = "http://enlace.example" }},
			"another service":   {"production", func(o *overlay) { backendOf(o).Name = "registros" }},
			"another port":      {"production", func(o *overlay) { backendOf(o).Port.Name = "https" }},
			"smaller bodies": {"production", func(o *overlay) {
				get[*networkingv1.Ingress](o, "gateway").Annotations["nginx.ingress.kubernetes.io/proxy-body-size"] = "8m"
			}},
			"slow bodies passed on": {"production", func(o *overlay) {
				get[*networkingv1.Ingress](o, "gateway").Annotations["nginx.ingress.kubernetes.io/proxy-request-buffering"] = "off"
			}},
			"held back lists": {"production", func(o *overlay) {
				delete(get[*networkingv1.Ingress](o, "gateway").Annotations, "nginx.ingress.kubernetes.io/proxy-buffering")
			}},
		},
	},
}

func backendOf(o *overlay) *networkingv1.IngressServiceBackend {
	return get[*networkingv1.Ingress](o, "gateway").Spec.Rules[0].HTTP.Paths[0].Backend.Service
}

func checkServices(o *overlay) (problems []string) {
	for _, service := range of[*corev1.Service](o.objects) {
		behind := o.behind(service)
		if len(behind) != 1 {
			problems = append(problems, fmt.Sprintf("%s: leads to %d workloads", service.Name, len(behind)))
			continue
		}
		for _, port := range service.Spec.Ports {
			if portOf(behind[0], port.TargetPort) == 0 {
				problems = append(problems, service.Name+": port "+port.Name+" leads nowhere")
			}
		}
		if service.Spec.Type != "" && service.Spec.Type != corev1.ServiceTypeClusterIP || len(service.Spec.ExternalIPs) > 0 {
			problems = append(problems, service.Name+": is reached past the ingress")
		}
	}
	return problems
}

// behind gives the workloads whose pods a service leads to.
func (o *overlay) behind(service *corev1.Service) []workload {
	return slices.DeleteFunc(o.workloads(), func(w workload) bool {
		return !matches(&metav1.LabelSelector{MatchLabels: service.Spec.Selector}, w.template.Labels)
	})
}

// portOf gives the number of a port of the workload's containers, 0 if it has no such port.
func portOf(w workload, port intstr.IntOrString) int32 {
	for _, c := range w.template.Spec.Containers {
		for _, p := range c.Ports {
			if port.Type == intstr.String && p.Name == port.StrVal || port.Type == intstr.Int && p.ContainerPort == port.IntVal {
				return p.ContainerPort
			}
		}
	}
	return 0
}

// checkTargets wants every *_TARGET to be a headless service by its name: only then does the
// name stand for all replicas, over which round_robin spreads the calls.
func checkTargets(o *overlay) (problems []string) {
	for _, w := range o.workloads() {
		if w.selector == nil {
			continue
		}
		given := o.environment(w.template.Spec.Containers[0])
		for _, s := range settingsOf(strings.TrimPrefix(w.image, "enlace/")) {
			if strings.HasSuffix(s.Variable, "_TARGET") && !o.findsReplicas(given[s.Variable]) {
				problems = append(problems, fmt.Sprintf("%s: %s is %q", w.name, s.Variable, given[s.Variable]))
			}
		}
	}
	return problems
}

func (o *overlay) findsReplicas(target string) bool {
	address, byName := strings.CutPrefix(target, "dns:///")
	for _, service := range of[*corev1.Service](o.objects) {
		for _, port := range service.Spec.Ports {
			if !byName || service.Spec.ClusterIP != corev1.ClusterIPNone || address != fmt.Sprintf("%s:%d", service.Name, port.Port) {
				continue
			}
			// Behind a headless service the port called is the pod's own.
			behind := o.behind(service)
			return len(behind) == 1 && portOf(behind[0], port.TargetPort) == port.Port
		}
	}
	return false
}

// checkListeners compares a port named "grpc" with GRPC_ADDR, and so on.
func checkListeners(o *overlay) (problems []string) {
	for _, w := range o.workloads() {
		if !isOurs(w.image) || w.selector == nil {
			continue
		}
		c := w.template.Spec.Containers[0]
		given := o.environment(c)
		for _, s := range settingsOf(strings.TrimPrefix(w.image, "enlace/")) {
			name, isAddress := strings.CutSuffix(s.Variable, "_ADDR")
			if !isAddress {
				continue
			}
			address := s.Default
			if value, set := given[s.Variable]; set {
				address = value
			}
			port := portOf(w, intstr.FromString(strings.ToLower(name)))
			if address != fmt.Sprintf(":%d", port) {
				problems = append(problems, fmt.Sprintf("%s: listens at %s, and its port %s is %d", w.name, address, strings.ToLower(name), port))
			}
		}
		scraped := w.template.Annotations["prometheus.io/port"]
		if scraped != "" && scraped != fmt.Sprint(portOf(w, intstr.FromString("ops"))) {
			problems = append(problems, w.name+": has no metrics at port "+scraped)
		}
	}
	return problems
}

// checkIngress is for production; the demo is reached by port-forward.
func checkIngress(o *overlay) (problems []string) {
	all := of[*networkingv1.Ingress](o.objects)
	if (len(all) > 0) != (o.name == "production") {
		problems = append(problems, fmt.Sprintf("%d ingresses", len(all)))
	}
	for _, ingress := range all {
		for _, rule := range ingress.Spec.Rules {
			for _, program := range []string{"gateway", "integracion"} {
				public, err := url.Parse(o.configMap(program).Data["PUBLIC_URL"])
				if err != nil || public.Scheme != "https" || public.Host != rule.Host {
					problems = append(problems, fmt.Sprintf("%s calls the gateway %v and not https://%s", program, public, rule.Host))
				}
			}
			if !slices.ContainsFunc(ingress.Spec.TLS, func(tls networkingv1.IngressTLS) bool {
				return tls.SecretName != "" && slices.Contains(tls.Hosts, rule.Host)
			}) {
				problems = append(problems, rule.Host+": no TLS")
			}
			for _, path := range rule.HTTP.Paths {
				if path.Backend.Service.Name != "gateway" || !o.hasPort(path.Backend.Service) {
					problems = append(problems, rule.Host+path.Path+": does not lead to the gateway")
				}
			}
		}
		// Contract: a body may have 16 MiB, slow ones are no load, and a cut list must arrive as cut.
		if ingress.Annotations["nginx.ingress.kubernetes.io/proxy-body-size"] != "17m" ||
			ingress.Annotations["nginx.ingress.kubernetes.io/proxy-request-buffering"] != "on" ||
			ingress.Annotations["nginx.ingress.kubernetes.io/proxy-buffering"] != "off" {
			problems = append(problems, ingress.Name+": holds back or refuses what the gateway allows, or passes slow bodies on")
		}
	}
	return problems
}

func (o *overlay) hasPort(backend *networkingv1.IngressServiceBackend) bool {
	return slices.ContainsFunc(of[*corev1.Service](o.objects), func(service *corev1.Service) bool {
		return service.Name == backend.Name && slices.ContainsFunc(service.Spec.Ports, func(port corev1.ServicePort) bool {
			return port.Name == backend.Port.Name || port.Port == backend.Port.Number
		})
	})
}
