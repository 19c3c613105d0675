package kubernetes

import (
	"fmt"
	"path"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

var scalingInvariants = []invariant{
	{
		name: "autoscalers have a target, and production three replicas of it", check: checkAutoscalers,
		breaks: map[string]damage{
			"another name": {"production", func(o *overlay) {
				get[*autoscalingv2.HorizontalPodAutoscaler](o, "gateway").Spec.ScaleTargetRef.Name = "puerta"
			}},
			"another kind": {"production", func(o *overlay) {
				get[*autoscalingv2.HorizontalPodAutoscaler](o, "gateway").Spec.ScaleTargetRef.Kind = "StatefulSet"
			}},
			"none": {"production", func(o *overlay) { drop[*autoscalingv2.HorizontalPodAutoscaler](o, "registros") }},
			"two replicas": {"production", func(o *overlay) {
				get[*autoscalingv2.HorizontalPodAutoscaler](o, "registros").Spec.MinReplicas = new(int32(2))
			}},
			"less than min": {"production", func(o *overlay) { get[*autoscalingv2.HorizontalPodAutoscaler](o, "registros").Spec.MaxReplicas = 2 }},
			"a number that every apply sets again": {"production", func(o *overlay) {
				get[*appsv1.Deployment](o, "gateway").Spec.Replicas = new(int32(3))
			}},
		},
	},
	{
		name: "budgets cover each program, and let nodes be emptied", check: checkBudgets,
		breaks: map[string]damage{
			"none": {"production", func(o *overlay) { drop[*policyv1.PodDisruptionBudget](o, "integracion") }},
			"another selector": {"production", func(o *overlay) {
				get[*policyv1.PodDisruptionBudget](o, "integracion").Spec.Selector.MatchLabels["app.kubernetes.io/name"] = "integrador"
			}},
			"no pod may go": {"production", func(o *overlay) {
				get[*policyv1.PodDisruptionBudget](o, "integracion").Spec.MaxUnavailable = new(intstr.FromInt32(0))
			}},
		},
	},
	{
		name: "a rollout takes no replica away before its successor is ready", check: checkRollout,
		breaks: map[string]damage{
			"one may lack": {"production", func(o *overlay) {
				get[*appsv1.Deployment](o, "gateway").Spec.Strategy.RollingUpdate.MaxUnavailable = new(intstr.FromInt32(1))
			}},
			"all at once": {"production", func(o *overlay) {
				get[*appsv1.Deployment](o, "gateway").Spec.Strategy = appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType}
			}},
		},
	},
	{
		name: "a version is migrated to by jobs of the same images, under names that every version has", check: checkMigrations,
		breaks: map[string]damage{
			"a service of another version": {"production", func(o *overlay) {
				get[*appsv1.Deployment](o, "registros").Spec.Template.Spec.Containers[0].Image = "registry.example/enlace/registros:1.1.0"
			}},
			"another version's program": {"production", func(o *overlay) {
				get[*batchv1.Job](o, "registros-migrate").Spec.Template.Spec.Containers[0].Image = "registry.example/enlace/registros:0.9.0"
			}},
			"a name of one version": {"production", func(o *overlay) {
				get[*batchv1.Job](o, "integracion-migrate").Name = "integracion-migrate-1.0.0"
			}},
			"no tag where the registry has a port": {"production", func(o *overlay) {
				o.container("gateway").Image = "registry.example:5000/enlace/gateway"
			}},
			"no tag": {"demo", func(o *overlay) { o.container("simulador").Image = "enlace/simulador" }},
			"latest": {"demo", func(o *overlay) { o.container("simulador").Image = "enlace/simulador:latest" }},
			"none":   {"demo", func(o *overlay) { drop[*batchv1.Job](o, "registros-migrate") }},
			"it stays": {"demo", func(o *overlay) {
				get[*batchv1.Job](o, "registros-migrate").Spec.TTLSecondsAfterFinished = nil
			}},
			"it serves": {"demo", func(o *overlay) {
				get[*batchv1.Job](o, "registros-migrate").Spec.Template.Spec.Containers[0].Args = nil
			}},
		},
	},
}

func checkAutoscalers(o *overlay) (problems []string) {
	scaled := map[string]int{}
	for _, scaler := range of[*autoscalingv2.HorizontalPodAutoscaler](o.objects) {
		target := scaler.Spec.ScaleTargetRef
		scaled[target.APIVersion+" "+target.Kind+" "+target.Name]++
		minimum := scaler.Spec.MinReplicas
		if minimum == nil || *minimum < 3 || scaler.Spec.MaxReplicas < *minimum {
			problems = append(problems, scaler.Name+": fewer than three replicas")
		}
	}
	for _, d := range of[*appsv1.Deployment](o.objects) {
		target := "apps/v1 Deployment " + d.Name
		if (scaled[target] == 1) != (o.name == "production") {
			problems = append(problems, fmt.Sprintf("%s: has %d autoscalers", d.Name, scaled[target]))
		}
		if scaled[target] > 0 && d.Spec.Replicas != nil {
			problems = append(problems, d.Name+": the overlay and the autoscaler both say how many")
		}
		delete(scaled, target)
	}
	for target := range scaled {
		problems = append(problems, "an autoscaler without its "+target)
	}
	return problems
}

func checkBudgets(o *overlay) (problems []string) {
	covered := map[string]int{}
	for _, budget := range of[*policyv1.PodDisruptionBudget](o.objects) {
		allowed := budget.Spec.MaxUnavailable
		if allowed == nil || allowed.IntValue() < 1 {
			problems = append(problems, budget.Name+": keeps a node from being emptied")
		}
		for _, w := range o.workloads() {
			if matches(budget.Spec.Selector, w.template.Labels) {
				covered[w.name]++
			}
		}
	}
	for _, d := range of[*appsv1.Deployment](o.objects) {
		if (covered[d.Name] == 1) != (o.name == "production") {
			problems = append(problems, fmt.Sprintf("%s: is in %d budgets", d.Name, covered[d.Name]))
		}
	}
	return problems
}

func checkRollout(o *overlay) (problems []string) {
	for _, d := range of[*appsv1.Deployment](o.objects) {
		rolling := d.Spec.Strategy.RollingUpdate
		if d.Name == "simulador" {
			continue // Two would each have received a part.
		}
		if rolling == nil || rolling.MaxUnavailable == nil || rolling.MaxUnavailable.IntValue() != 0 {
			problems = append(problems, d.Name+": a rollout takes replicas away first")
		}
	}
	return problems
}

// checkMigrations wants a Job for each service, of the same image. Its name is known before its
// version is: who upgrades deletes it by that name, and no tag or digest is too long for it.
func checkMigrations(o *overlay) (problems []string) {
	images := map[string]string{}
	for _, w := range o.workloads() {
		image := w.template.Spec.Containers[0].Image
		_, tag, _ := strings.Cut(path.Base(image), ":")
		if tag == "" || tag == "latest" {
			problems = append(problems, w.name+": nobody can say which version "+image+" is")
		}
		images[w.name] = image
	}
	jobs := map[string]*batchv1.Job{}
	for _, job := range of[*batchv1.Job](o.objects) {
		jobs[job.Name] = job
	}
	for _, name := range []string{"registros", "integracion"} {
		job := jobs[name+"-migrate"]
		if job == nil {
			problems = append(problems, "no job "+name+"-migrate")
			continue
		}
		c := job.Spec.Template.Spec.Containers[0]
		if c.Image != images[name] || len(c.Args) != 1 || c.Args[0] != "migrate" || job.Spec.TTLSecondsAfterFinished == nil {
			problems = append(problems, job.Name+": does not migrate to "+images[name]+", or stays for ever")
		}
	}
	return problems
}
