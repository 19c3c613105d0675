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
	for namespace in "${made[@]}"; do kubectl delete namespace "$namespace" --wait=false >/dev/null; done
}
trap cleanup EXIT

cp -R docker kubernetes "$work"
find "$work" -path '*/secretos/*' -type f ! -name kustomization.yaml -delete
"$work/docker/secretos.sh" "$work/kubernetes/secretos"

for overlay in demo production; do
	file=kubernetes/overlays/$overlay/namespace.yaml
	namespace=$(kubectl create --dry-run=client --validate=false -f "$file" -o jsonpath='{.metadata.name}')
	kubectl get namespace "$namespace" >/dev/null 2>&1 && continue
	made+=("$namespace")
	kubectl apply -f "$file" >/dev/null
done

for overlay in demo production production/secretos; do
	echo "overlays/$overlay"
	kubectl apply --dry-run=server -o name -k "$work/kubernetes/overlays/$overlay" 2>&1 | tee -a "$work/said"
done
# A Deployment whose pods would be refused is itself accepted, with a warning.
if grep -q '^Warning: would violate PodSecurity' "$work/said"; then
	echo "refused: pods that the namespace does not admit"
	exit 1
fi
echo "accepted: $(grep -cv '^Warning:' "$work/said") objects of 3 kustomizations"
