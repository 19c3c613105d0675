package kubernetes

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// overlay is what one overlay makes of the base.
type overlay struct {
	name    string
	objects []runtime.Object
	// secrets are the Secrets that its pods find, whether they come with it or apart.
	secrets []*corev1.Secret
}

// workload is what makes pods.
type workload struct {
	name     string
	image    string // without registry and tag, "enlace/gateway"
	template *corev1.PodTemplateSpec
	selector *metav1.LabelSelector // nil for a Job, whose selector the cluster makes
}

// built makes each overlay once, since it costs a script and a process.
var built = sync.OnceValues(func() (map[string]*overlay, error) {
	root, err := os.MkdirTemp("", "manifiestos")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(root) }() // what stays is in the system's folder for such things
	err = copyManifests(root)
	if err != nil {
		return nil, err
	}
	demo, err := build(root, "overlays/demo")
	if err != nil {
		return nil, err
	}
	production, err := build(root, "overlays/production")
	if err != nil {
		return nil, err
	}
	apart, err := build(root, "overlays/production/secretos")
	if err != nil {
		return nil, err
	}
	certificates, err := build(root, "overlays/production/certificados")
	if err != nil {
		return nil, err
	}
	apart = append(apart, certificates...)
	return map[string]*overlay{
		"demo":       {name: "demo", objects: demo, secrets: of[*corev1.Secret](demo)},
		"production": {name: "production", objects: production, secrets: of[*corev1.Secret](apart)},
	}, nil
})

// load gives an overlay that the caller may change.
func load(t *testing.T, name string) *overlay {
	t.Helper()
	all, err := built()
	if err != nil {
		t.Fatal(err)
	}
	kept := all[name]
	o := &overlay{name: name}
	for _, object := range kept.objects {
		o.objects = append(o.objects, object.DeepCopyObject())
	}
	for _, secret := range kept.secrets {
		o.secrets = append(o.secrets, secret.DeepCopy())
	}
	return o
}

// copyManifests copies what the overlays are made of, but none of the secrets that lie about
// here, and makes throw-away ones as an operator would.
func copyManifests(root string) error {
	for _, folder := range []string{"docker", "kubernetes"} {
		err := filepath.WalkDir(filepath.Join("..", folder), func(path string, entry fs.DirEntry, err error) error {
			wanted := slices.Contains([]string{".yaml", ".env", ".sh"}, filepath.Ext(path)) || filepath.Base(path) == "database-ca.pem"
			if err != nil || entry.IsDir() || !wanted {
				return err
			}
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			target := filepath.Join(root, path[len("../"):])
			err = os.MkdirAll(filepath.Dir(target), 0o700)
			if err != nil {
				return err
			}
			return os.WriteFile(target, content, 0o600)
		})
		if err != nil {
			return err
		}
	}
	for _, made := range []string{"secretos", "certificados"} {
		output, err := exec.Command("bash", filepath.Join(root, "docker", made+".sh"), filepath.Join(root, "kubernetes", made)).CombinedOutput()
		if err != nil {
			return fmt.Errorf("make %s: %w: %s", made, err, output)
		}
	}
	return nil
}

func build(root, path string) ([]runtime.Object, error) {
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).
		Run(filesys.MakeFsOnDisk(), filepath.Join(root, "kubernetes", path))
	if err != nil {
		return nil, fmt.Errorf("build %s: %w", path, err)
	}
	var objects []runtime.Object
	for _, resource := range resources.Resources() {
		text, err := resource.AsYAML()
		if err != nil {
			return nil, fmt.Errorf("write %s of %s: %w", resource.GetName(), path, err)
		}
		object, err := decode(text)
		if err != nil {
			return nil, fmt.Errorf("decode %s of %s: %w", resource.GetName(), path, err)
		}
		objects = append(objects, object)
	}
	return objects, nil
}

var decoder = sync.OnceValues(func() (runtime.Decoder, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		corev1.AddToScheme, appsv1.AddToScheme, batchv1.AddToScheme,
		networkingv1.AddToScheme, policyv1.AddToScheme, autoscalingv2.AddToScheme,
	} {
		err := add(scheme)
		if err != nil {
			return nil, err
		}
	}
	return serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer(), nil
})

// decode refuses unknown and repeated fields, wrong types and bad quantities.
func decode(text []byte) (runtime.Object, error) {
	strict, err := decoder()
	if err != nil {
		return nil, err
	}
	return runtime.Decode(strict, text)
}

// of gives the objects of one type.
func of[T runtime.Object](objects []runtime.Object) []T {
	var found []T
	for _, object := range objects {
		if typed, ok := object.(T); ok {
			found = append(found, typed)
		}
	}
	return found
}

// get gives the object of a type and name, which must exist.
func get[T interface {
	runtime.Object
	metav1.Object
}](o *overlay, name string) T {
	for _, object := range of[T](o.objects) {
		if object.GetName() == name {
			return object
		}
	}
	panic(fmt.Sprintf("the overlay %s has no %T %s", o.name, *new(T), name))
}

// drop removes the object of a type and name.
func drop[T interface {
	runtime.Object
	metav1.Object
}](o *overlay, name string) {
	gone := get[T](o, name)
	o.objects = slices.DeleteFunc(o.objects, func(object runtime.Object) bool { return object == runtime.Object(gone) })
}

func (o *overlay) workloads() []workload {
	var all []workload
	for _, d := range of[*appsv1.Deployment](o.objects) {
		all = append(all, newWorkload(d.Name, &d.Spec.Template, d.Spec.Selector))
	}
	for _, s := range of[*appsv1.StatefulSet](o.objects) {
		all = append(all, newWorkload(s.Name, &s.Spec.Template, s.Spec.Selector))
	}
	for _, j := range of[*batchv1.Job](o.objects) {
		all = append(all, newWorkload(j.Name, &j.Spec.Template, nil))
	}
	return all
}

func newWorkload(name string, template *corev1.PodTemplateSpec, selector *metav1.LabelSelector) workload {
	return workload{name: name, image: imageName(template.Spec.Containers[0].Image), template: template, selector: selector}
}

// container gives the only container of a Deployment, for tests to change.
func (o *overlay) container(deployment string) *corev1.Container {
	return &get[*appsv1.Deployment](o, deployment).Spec.Template.Spec.Containers[0]
}
