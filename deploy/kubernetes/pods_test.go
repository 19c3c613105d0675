package kubernetes

import (
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

var podInvariants = []invariant{
	{
		name: "pods may do nothing but their work", check: checkRestricted,
		breaks: map[string]damage{
			"root": {"production", func(o *overlay) {
				get[*appsv1.Deployment](o, "gateway").Spec.Template.Spec.SecurityContext.RunAsNonRoot = nil
			}},
			"user 0": {"demo", func(o *overlay) {
				get[*appsv1.StatefulSet](o, "postgres").Spec.Template.Spec.SecurityContext.RunAsUser = new(int64(0))
			}},
			"no seccomp": {"demo", func(o *overlay) {
				get[*batchv1.Job](o, "registros-migrate").Spec.Template.Spec.SecurityContext.SeccompProfile = nil
			}},
			"writable root":     {"demo", func(o *overlay) { o.container("simulador").SecurityContext.ReadOnlyRootFilesystem = nil }},
			"more rights":       {"demo", func(o *overlay) { o.container("gateway").SecurityContext.AllowPrivilegeEscalation = new(true) }},
			"kept capabilities": {"production", func(o *overlay) { o.container("registros").SecurityContext.Capabilities = nil }},
			"added capabilities": {"demo", func(o *overlay) {
				o.container("registros").SecurityContext.Capabilities.Add = []corev1.Capability{"NET_ADMIN"}
			}},
			"token in the pod": {"production", func(o *overlay) {
				get[*appsv1.Deployment](o, "integracion").Spec.Template.Spec.AutomountServiceAccountToken = nil
			}},
			"token of the account": {"production", func(o *overlay) {
				get[*corev1.ServiceAccount](o, "integracion").AutomountServiceAccountToken = nil
			}},
			"the node's network": {"production", func(o *overlay) {
				get[*appsv1.Deployment](o, "integracion").Spec.Template.Spec.HostNetwork = true
			}},
			"services in the environment": {"demo", func(o *overlay) {
				get[*appsv1.Deployment](o, "gateway").Spec.Template.Spec.EnableServiceLinks = nil
			}},
			"an unrestricted namespace": {"production", func(o *overlay) {
				delete(get[*corev1.Namespace](o, "enlace").Labels, "pod-security.kubernetes.io/enforce")
			}},
		},
	},
	{
		name: "containers have requests and limits", check: checkResources,
		breaks: map[string]damage{
			"no memory limit": {"production", func(o *overlay) { delete(o.container("gateway").Resources.Limits, corev1.ResourceMemory) }},
			"no cpu request":  {"demo", func(o *overlay) { delete(o.container("gateway").Resources.Requests, corev1.ResourceCPU) }},
			"no request of a job": {"demo", func(o *overlay) {
				get[*batchv1.Job](o, "registros-migrate").Spec.Template.Spec.Containers[0].Resources.Requests = nil
			}},
			"Go may use all that the limit gives": {"production", func(o *overlay) {
				o.container("registros").Resources.Requests[corev1.ResourceMemory] = resource.MustParse("512Mi")
			}},
			"Go knows no limit": {"production", func(o *overlay) { o.container("registros").Env = nil }},
		},
	},
	{
		name: "pods that stay are probed on their operations port", check: checkProbes,
		breaks: map[string]damage{
			"no readiness": {"production", func(o *overlay) { o.container("gateway").ReadinessProbe = nil }},
			"no liveness": {"demo", func(o *overlay) {
				get[*appsv1.StatefulSet](o, "postgres").Spec.Template.Spec.Containers[0].LivenessProbe = nil
			}},
			"readiness on the public port": {"production", func(o *overlay) { o.container("gateway").ReadinessProbe.HTTPGet.Port.StrVal = "http" }},
			"a port that is not there":     {"production", func(o *overlay) { o.container("registros").Ports[1].Name = "operations" }},
			"a route that is not there":    {"production", func(o *overlay) { o.container("registros").LivenessProbe.HTTPGet.Path = "/healthz" }},
			"a restart for what readiness is for": {"production", func(o *overlay) {
				o.container("registros").LivenessProbe.HTTPGet.Path = "/readyz"
			}},
		},
	},
	{
		name: "pods are given the time in which the program stops", check: checkGrace,
		breaks: map[string]damage{
			"less time": {"production", func(o *overlay) {
				get[*appsv1.Deployment](o, "integracion").Spec.Template.Spec.TerminationGracePeriodSeconds = new(int64(30))
			}},
			"the cluster's default": {"production", func(o *overlay) {
				get[*appsv1.Deployment](o, "gateway").Spec.Template.Spec.TerminationGracePeriodSeconds = nil
			}},
			"a longer delay": {"production", func(o *overlay) { o.configMap("gateway").Data["STOP_DELAY"] = "45s" }},
			"no delay for the ingress to notice": {"production", func(o *overlay) {
				o.configMap("gateway").Data["STOP_DELAY"] = "0s"
			}},
		},
	},
	{
		name: "selectors match the pods that they stand beside", check: checkSelectors,
		breaks: map[string]damage{
			"another selector": {"production", func(o *overlay) {
				get[*appsv1.Deployment](o, "gateway").Spec.Selector.MatchLabels["app.kubernetes.io/name"] = "puerta"
			}},
			"two with the same pods": {"demo", func(o *overlay) {
				d := get[*appsv1.Deployment](o, "gateway")
				d.Spec.Selector.MatchLabels["app.kubernetes.io/name"] = "registros"
				d.Spec.Template.Labels["app.kubernetes.io/name"] = "registros"
			}},
			"spread by the label of others": {"production", func(o *overlay) {
				get[*appsv1.Deployment](o, "gateway").Spec.Template.Spec.TopologySpreadConstraints[0].LabelSelector.MatchLabels["app.kubernetes.io/name"] = "registros"
			}},
			"no spread": {"production", func(o *overlay) {
				get[*appsv1.Deployment](o, "registros").Spec.Template.Spec.TopologySpreadConstraints = nil
			}},
		},
	},
}

// stopSlack is what a program may need beyond its stop limits.
const stopSlack = 5 * time.Second

func checkRestricted(o *overlay) (problems []string) {
	for _, account := range of[*corev1.ServiceAccount](o.objects) {
		if account.AutomountServiceAccountToken == nil || *account.AutomountServiceAccountToken {
			problems = append(problems, account.Name+": the account gives its token to pods")
		}
	}
	for _, namespace := range of[*corev1.Namespace](o.objects) {
		if namespace.Labels["pod-security.kubernetes.io/enforce"] != "restricted" {
			problems = append(problems, namespace.Name+": the namespace takes other pods too")
		}
	}
	for _, w := range o.workloads() {
		for _, problem := range slices.Concat(podRights(&w.template.Spec), containerRights(&w.template.Spec)) {
			problems = append(problems, w.name+": "+problem)
		}
	}
	return problems
}

func podRights(spec *corev1.PodSpec) (problems []string) {
	if spec.AutomountServiceAccountToken == nil || *spec.AutomountServiceAccountToken {
		problems = append(problems, "holds a token of the cluster")
	}
	if spec.EnableServiceLinks == nil || *spec.EnableServiceLinks {
		problems = append(problems, "finds the services in its environment")
	}
	if spec.HostNetwork || spec.HostPID || spec.HostIPC {
		problems = append(problems, "shares something with the node")
	}
	security := spec.SecurityContext
	if security == nil || security.RunAsNonRoot == nil || !*security.RunAsNonRoot || security.RunAsUser == nil || *security.RunAsUser == 0 {
		problems = append(problems, "may run as root")
	}
	if security == nil || security.SeccompProfile == nil || security.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
		problems = append(problems, "may make every system call")
	}
	return problems
}

func containerRights(spec *corev1.PodSpec) (problems []string) {
	for _, c := range slices.Concat(spec.InitContainers, spec.Containers) {
		security := c.SecurityContext
		if security == nil {
			problems = append(problems, c.Name+" has no security context")
			continue
		}
		if security.ReadOnlyRootFilesystem == nil || !*security.ReadOnlyRootFilesystem {
			problems = append(problems, c.Name+" may write where its image is")
		}
		if security.AllowPrivilegeEscalation == nil || *security.AllowPrivilegeEscalation {
			problems = append(problems, c.Name+" may get more rights")
		}
		if security.Capabilities == nil || !slices.Equal(security.Capabilities.Drop, []corev1.Capability{"ALL"}) || len(security.Capabilities.Add) > 0 {
			problems = append(problems, c.Name+" keeps capabilities")
		}
		if security.Privileged != nil || security.RunAsUser != nil || security.RunAsNonRoot != nil || security.SeccompProfile != nil {
			problems = append(problems, c.Name+" has rights of its own, beside the pod's")
		}
	}
	return problems
}

func checkResources(o *overlay) (problems []string) {
	for _, w := range o.workloads() {
		for _, c := range slices.Concat(w.template.Spec.InitContainers, w.template.Spec.Containers) {
			for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
				request, limit := c.Resources.Requests[name], c.Resources.Limits[name]
				if request.IsZero() || limit.IsZero() || request.Cmp(limit) > 0 {
					problems = append(problems, fmt.Sprintf("%s: %s asks for %v of %s and is given up to %v", w.name, c.Name, &request, name, &limit))
				}
			}
			if w.selector != nil && isOurs(w.image) && !leavesRoom(c) {
				problems = append(problems, w.name+": Go is not told of a memory limit that leaves a tenth for what it does not count")
			}
		}
	}
	return problems
}

// leavesRoom tells whether GOMEMLIMIT is what is requested, and that nine tenths of the limit
// at most.
func leavesRoom(c corev1.Container) bool {
	i := slices.IndexFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == "GOMEMLIMIT" })
	if i < 0 || c.Env[i].ValueFrom == nil || c.Env[i].ValueFrom.ResourceFieldRef == nil {
		return false
	}
	ref := c.Env[i].ValueFrom.ResourceFieldRef
	return ref.Resource == "requests.memory" && ref.Divisor.IsZero() &&
		c.Resources.Requests.Memory().Value()*10 <= c.Resources.Limits.Memory().Value()*9
}

func checkProbes(o *overlay) (problems []string) {
	for _, w := range o.workloads() {
		if w.selector == nil {
			continue // A Job ends by itself.
		}
		for _, c := range w.template.Spec.Containers {
			if c.LivenessProbe == nil || c.ReadinessProbe == nil {
				problems = append(problems, w.name+": lacks a probe")
				continue
			}
			if !isOurs(w.image) {
				continue
			}
			for _, probe := range []*corev1.Probe{c.LivenessProbe, c.StartupProbe, c.ReadinessProbe} {
				// What services/process serves. A database that is away is no reason to restart.
				path := "/livez"
				if probe == c.ReadinessProbe {
					path = "/readyz"
				}
				if probe != nil && (probe.HTTPGet == nil || probe.HTTPGet.Path != path || probe.HTTPGet.Port.StrVal != "ops" || portOf(w, probe.HTTPGet.Port) == 0) {
					problems = append(problems, w.name+": a probe does not ask "+path+" of the operations port")
				}
			}
		}
	}
	return problems
}

// checkGrace adds up all stop settings of a program: at the worst it takes them one after the
// other.
func checkGrace(o *overlay) (problems []string) {
	for _, w := range o.workloads() {
		program, ours := strings.CutPrefix(w.image, "enlace/")
		if !ours || w.selector == nil {
			continue
		}
		need, err := o.stopTime(w, program)
		if err != nil {
			problems = append(problems, w.name+": "+err.Error())
			continue
		}
		seconds := w.template.Spec.TerminationGracePeriodSeconds
		given := 30 * time.Second // the cluster's default
		if seconds != nil {
			given = time.Duration(*seconds) * time.Second
		}
		if given < need+stopSlack {
			problems = append(problems, fmt.Sprintf("%s: is killed after %v but may need %v", w.name, given, need+stopSlack))
		}
	}
	if delay, err := time.ParseDuration(o.configMap("gateway").Data["STOP_DELAY"]); err != nil || delay < 5*time.Second {
		problems = append(problems, "gateway: closes before the ingress has heard of it")
	}
	return problems
}

func (o *overlay) stopTime(w workload, program string) (time.Duration, error) {
	given := o.environment(w.template.Spec.Containers[0])
	var sum time.Duration
	for _, s := range settingsOf(program) {
		if !strings.Contains(s.Variable, "STOP_") {
			continue
		}
		text := s.Default
		if value, set := given[s.Variable]; set {
			text = value
		}
		limit, err := time.ParseDuration(text)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", s.Variable, err)
		}
		sum += limit
	}
	return sum, nil
}

func checkSelectors(o *overlay) (problems []string) {
	for _, w := range o.workloads() {
		if w.selector == nil {
			continue
		}
		for _, other := range o.workloads() {
			if matches(w.selector, other.template.Labels) != (other.name == w.name) {
				problems = append(problems, w.name+": its selector and the pods of "+other.name+" disagree")
			}
		}
		for _, spread := range w.template.Spec.TopologySpreadConstraints {
			if !matches(spread.LabelSelector, w.template.Labels) {
				problems = append(problems, w.name+": is spread among the pods of others")
			}
		}
		if len(w.template.Spec.TopologySpreadConstraints) == 0 && slices.Contains([]string{"gateway", "registros", "integracion"}, w.name) {
			problems = append(problems, w.name+": all its pods may be on one node")
		}
	}
	return problems
}

// matches is the cluster's own reading of a selector; an invalid one matches nothing.
func matches(selector *metav1.LabelSelector, of map[string]string) bool {
	parsed, err := metav1.LabelSelectorAsSelector(selector)
	return err == nil && parsed.Matches(labels.Set(of))
}
