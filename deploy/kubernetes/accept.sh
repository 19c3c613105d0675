#!/usr/bin/env bash
# Asks the cluster of kubectl's context whether it would take every object of each overlay.
# Nothing is left there: the namespaces, without which no object is judged, are made where
# they are missing and removed again. The secrets are throw-away ones.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
made=()
cleanup() {
	rm -rf "$work"
	# And waits until they are gone: whoever installs next would find them going.
	for namespace in "${made[@]}"; do kubectl delete namespace "$namespace" --timeout=2m >/dev/null; done
}
trap cleanup EXIT

cp -R docker kubernetes "$work"
find "$work" \( -path '*/secretos/*' -o -path '*/certificados/*' \) -type f ! -name kustomization.yaml -delete
"$work/docker/secretos.sh" "$work/kubernetes/secretos"
"$work/docker/certificados.sh" "$work/kubernetes/certificados"

for overlay in demo production; do
	file=kubernetes/overlays/$overlay/namespace.yaml
	namespace=$(kubectl create --dry-run=client --validate=false -f "$file" -o jsonpath='{.metadata.name}')
	kubectl get namespace "$namespace" >/dev/null 2>&1 && continue
	made+=("$namespace")
	kubectl apply -f "$file" >/dev/null
done

overlays=(demo production production/secretos production/certificados)
# Its own kinds are only known where it is installed.
! kubectl get crd certificates.cert-manager.io >/dev/null 2>&1 || overlays+=(production/cert-manager)
ask() {
	echo "overlays/$1${2:+ with $2}"
	kubectl apply --dry-run=server -o name -k "$work/kubernetes/overlays/$1" 2>&1 | tee -a "$work/said"
}
for overlay in "${overlays[@]}"; do
	ask "$overlay"
done
# A site names its images by a digest, or by tags up to the longest.
references=("digest: sha256:$(printf '0f%.0s' {1..32})" "newTag: $(printf 'A_%.0s' {1..64})")
for reference in "${references[@]}"; do
	sed -i -E "s/(newTag|digest): [^ }]+/$reference/" "$work/kubernetes/overlays/production/kustomization.yaml"
	ask production "$reference"
done
# A Deployment whose pods would be refused is itself accepted, with a warning.
if grep -q '^Warning: would violate PodSecurity' "$work/said"; then
	echo "refused: pods that the namespace does not admit"
	exit 1
fi
echo "accepted: $(grep -cv '^Warning:' "$work/said") objects of $((${#overlays[@]} + ${#references[@]})) kustomizations"
