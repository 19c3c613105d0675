package kubernetes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

var networkInvariants = []invariant{
	{
		name: "only the gateway is reached from outside, and only integracion leaves the cluster", check: checkOutside,
		breaks: map[string]damage{
			"a service is open": {"production", func(o *overlay) {
				p := get[*networkingv1.NetworkPolicy](o, "registros")
				p.Spec.Ingress[0].From = append(p.Spec.Ingress[0].From, networkingv1.NetworkPolicyPeer{NamespaceSelector: &metav1.LabelSelector{}})
			}},
			"the gateway is closed": {"production", func(o *overlay) { get[*networkingv1.NetworkPolicy](o, "gateway").Spec.Ingress = nil }},
			"the gateway's operations port is open": {"production", func(o *overlay) {
				get[*networkingv1.NetworkPolicy](o, "gateway").Spec.Ingress[0].Ports = nil
			}},
			"anybody reaches the gateway": {"demo", func(o *overlay) { get[*networkingv1.NetworkPolicy](o, "gateway").Spec.Ingress[0].From = nil }},
			"nothing is refused":          {"production", func(o *overlay) { drop[*networkingv1.NetworkPolicy](o, "nothing") }},
			"nothing is refused to enter": {"demo", func(o *overlay) {
				get[*networkingv1.NetworkPolicy](o, "nothing").Spec.PolicyTypes = []networkingv1.PolicyType{networkingv1.PolicyTypeEgress}
			}},
			"registros leaves": {"production", func(o *overlay) {
				p := get[*networkingv1.NetworkPolicy](o, "registros")
				p.Spec.Egress = append(p.Spec.Egress, get[*networkingv1.NetworkPolicy](o, "integracion").Spec.Egress...)
			}},
			"integracion reaches private networks": {"production", func(o *overlay) {
				egress := get[*networkingv1.NetworkPolicy](o, "integracion").Spec.Egress
				egress[len(egress)-1].To[0].IPBlock.Except = nil
			}},
			"integracion stays": {"production", func(o *overlay) { get[*networkingv1.NetworkPolicy](o, "integracion").Spec.Egress = nil }},
			"no names":          {"production", func(o *overlay) { drop[*networkingv1.NetworkPolicy](o, "dns") }},
			"no databases":      {"production", func(o *overlay) { drop[*networkingv1.NetworkPolicy](o, "postgres-clients") }},
			"the gateway reaches the databases": {"production", func(o *overlay) {
				get[*networkingv1.NetworkPolicy](o, "postgres-clients").Spec.PodSelector = metav1.LabelSelector{}
			}},
		},
	},
	{
		name: "the programs reach each other where they need to, and nowhere else", check: checkInside,
		breaks: map[string]damage{
			"the gateway is not let in": {"production", func(o *overlay) {
				p := get[*networkingv1.NetworkPolicy](o, "registros")
				p.Spec.Ingress[0].From = p.Spec.Ingress[0].From[1:]
			}},
			"integracion is not let out": {"production", func(o *overlay) {
				p := get[*networkingv1.NetworkPolicy](o, "integracion")
				p.Spec.Egress = p.Spec.Egress[1:]
			}},
			"another port": {"demo", func(o *overlay) {
				get[*networkingv1.NetworkPolicy](o, "postgres-clients").Spec.Egress[0].Ports[0].Port = new(intstr.FromInt32(5433))
			}},
			"everybody reaches everybody": {"demo", func(o *overlay) {
				p := get[*networkingv1.NetworkPolicy](o, "nothing")
				everybody := []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{}}}
				p.Spec.Ingress = []networkingv1.NetworkPolicyIngressRule{{From: everybody}}
				p.Spec.Egress = []networkingv1.NetworkPolicyEgressRule{{To: everybody}}
			}},
		},
	},
}

// inside are the calls between pods that there must be, and no other.
var inside = map[string][]string{
	"production": {
		"gateway -> integracion:9092",
		"gateway -> registros:9091",
		"integracion -> registros:9091",
		"registros -> integracion:9092",
	},
	"demo": {
		"gateway -> integracion:9092",
		"gateway -> registros:9091",
		"integracion -> postgres:5432",
		"integracion -> registros:9091",
		"integracion -> simulador:8090",
		"integracion-migrate -> postgres:5432",
		"registros -> integracion:9092",
		"registros -> postgres:5432",
		"registros-migrate -> postgres:5432",
		"simulador -> gateway:8080",
	},
}

// outside are the calls from and to elsewhere that there must be, and no other.
var outside = map[string][]string{
	"production": append([]string{
		"integracion -> 192.0.2.10/32:5432",
		"integracion-migrate -> 192.0.2.10/32:5432",
		"registros -> 192.0.2.10/32:5432",
		"registros-migrate -> 192.0.2.10/32:5432",
	}, outsideEverywhere...),
	"demo": outsideEverywhere,
}

var outsideEverywhere = []string{
	"all -> namespace kube-system k8s-app=kube-dns:53",
	"gateway -> namespace monitoring:4317",
	"integracion -> 0.0.0.0/0 but [10.0.0.0/8 100.64.0.0/10 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16]:443",
	"integracion -> namespace monitoring:4317",
	"namespace ingress-nginx -> gateway:8080",
	"namespace monitoring -> gateway:9180",
	"namespace monitoring -> integracion:9192",
	"namespace monitoring -> registros:9191",
	"registros -> namespace monitoring:4317",
}

func checkInside(o *overlay) []string {
	var flows []string
	for _, from := range o.pods() {
		for _, to := range o.pods() {
			for _, port := range portsOf(to) {
				if from.name != to.name && o.mayLeave(from, to, port) && o.mayEnter(to, from, port) {
					flows = append(flows, fmt.Sprintf("%s -> %s:%d", from.name, to.name, port))
				}
			}
		}
	}
	return difference(inside[o.name], flows)
}

func checkOutside(o *overlay) []string {
	var flows []string
	resolved := 0
	for _, w := range o.pods() {
		for _, flow := range slices.Concat(o.entering(w), o.leaving(w)) {
			if flow == w.name+" -> namespace kube-system k8s-app=kube-dns:53" {
				resolved++
				continue
			}
			flows = append(flows, flow)
		}
	}
	// Every pod may look up names, by UDP and by TCP.
	if resolved == 2*len(o.pods()) {
		flows = append(flows, "all -> namespace kube-system k8s-app=kube-dns:53")
	}
	return difference(outside[o.name], flows)
}

func difference(want, got []string) []string {
	want, got = slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(got))
	diff := cmp.Diff(want, got)
	if diff == "" {
		return nil
	}
	return []string{"calls that should be (-) and are (+):\n" + diff}
}

// pods gives the workloads by the name that their pods have for the network: a Job's own
// changes with each version.
func (o *overlay) pods() []workload {
	all := o.workloads()
	for i := range all {
		all[i].name = all[i].template.Labels["app.kubernetes.io/name"]
	}
	return all
}

func portsOf(w workload) (ports []int32) {
	for _, c := range w.template.Spec.Containers {
		for _, port := range c.Ports {
			ports = append(ports, port.ContainerPort)
		}
	}
	return ports
}

// governing gives the policies that decide for a pod in one direction. None means that all
// is allowed.
func (o *overlay) governing(w workload, direction networkingv1.PolicyType) []*networkingv1.NetworkPolicy {
	return slices.DeleteFunc(of[*networkingv1.NetworkPolicy](o.objects), func(p *networkingv1.NetworkPolicy) bool {
		return !slices.Contains(p.Spec.PolicyTypes, direction) || !matches(&p.Spec.PodSelector, w.template.Labels)
	})
}

func (o *overlay) mayEnter(to, from workload, port int32) bool {
	policies := o.governing(to, networkingv1.PolicyTypeIngress)
	for _, p := range policies {
		for _, rule := range p.Spec.Ingress {
			if includesPod(rule.From, from) && includesPort(rule.Ports, to, port) {
				return true
			}
		}
	}
	return len(policies) == 0
}

func (o *overlay) mayLeave(from, to workload, port int32) bool {
	policies := o.governing(from, networkingv1.PolicyTypeEgress)
	for _, p := range policies {
		for _, rule := range p.Spec.Egress {
			if includesPod(rule.To, to) && includesPort(rule.Ports, to, port) {
				return true
			}
		}
	}
	return len(policies) == 0
}

// includesPod tells whether the peers include a pod of this namespace. No peers are all. A
// block of addresses is not taken to include one: what the pods' addresses are, the cluster
// alone knows, and the platform's block leaves the private ones out.
func includesPod(peers []networkingv1.NetworkPolicyPeer, w workload) bool {
	return len(peers) == 0 || slices.ContainsFunc(peers, func(peer networkingv1.NetworkPolicyPeer) bool {
		everywhere := peer.NamespaceSelector != nil && len(peer.NamespaceSelector.MatchLabels)+len(peer.NamespaceSelector.MatchExpressions) == 0
		if peer.IPBlock != nil || peer.NamespaceSelector != nil && !everywhere {
			return false
		}
		return peer.PodSelector == nil || matches(peer.PodSelector, w.template.Labels)
	})
}

func includesPort(ports []networkingv1.NetworkPolicyPort, w workload, port int32) bool {
	return len(ports) == 0 || slices.ContainsFunc(ports, func(p networkingv1.NetworkPolicyPort) bool {
		return p.Port == nil || p.EndPort == nil && portOf(w, *p.Port) == port
	})
}

// entering tells who from elsewhere reaches a pod, and where.
func (o *overlay) entering(w workload) (flows []string) {
	policies := o.governing(w, networkingv1.PolicyTypeIngress)
	if len(policies) == 0 {
		flows = append(flows, "anybody -> "+w.name)
	}
	for _, p := range policies {
		for _, rule := range p.Spec.Ingress {
			for _, peer := range elsewhere(rule.From) {
				for _, port := range portsOf(w) {
					if includesPort(rule.Ports, w, port) {
						flows = append(flows, fmt.Sprintf("%s -> %s:%d", peer, w.name, port))
					}
				}
			}
		}
	}
	return flows
}

// leaving tells what elsewhere a pod reaches.
func (o *overlay) leaving(w workload) (flows []string) {
	policies := o.governing(w, networkingv1.PolicyTypeEgress)
	if len(policies) == 0 {
		flows = append(flows, w.name+" -> anything")
	}
	for _, p := range policies {
		for _, rule := range p.Spec.Egress {
			for _, peer := range elsewhere(rule.To) {
				for _, port := range numbers(rule.Ports) {
					flows = append(flows, fmt.Sprintf("%s -> %s:%s", w.name, peer, port))
				}
			}
		}
	}
	return flows
}

// elsewhere names the peers that are not pods of this namespace.
func elsewhere(peers []networkingv1.NetworkPolicyPeer) (names []string) {
	if len(peers) == 0 {
		return []string{"anybody"}
	}
	for _, peer := range peers {
		switch {
		case peer.IPBlock != nil && len(peer.IPBlock.Except) > 0:
			names = append(names, fmt.Sprintf("%s but %v", peer.IPBlock.CIDR, peer.IPBlock.Except))
		case peer.IPBlock != nil:
			names = append(names, peer.IPBlock.CIDR)
		case peer.NamespaceSelector != nil:
			name := strings.ReplaceAll(metav1.FormatLabelSelector(peer.NamespaceSelector), "kubernetes.io/metadata.name=", "namespace ")
			if peer.PodSelector != nil {
				name += " " + metav1.FormatLabelSelector(peer.PodSelector)
			}
			names = append(names, name)
		}
	}
	return names
}

func numbers(ports []networkingv1.NetworkPolicyPort) (all []string) {
	if len(ports) == 0 {
		return []string{"any"}
	}
	for _, port := range ports {
		text := "any"
		if port.Port != nil && port.EndPort == nil {
			text = port.Port.String()
		}
		all = append(all, text)
	}
	return all
}
