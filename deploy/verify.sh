#!/usr/bin/env bash
# Fails when something committed is not what it would be if made again, is not formatted,
# does not build without the workspace, or breaks those who use the contract or have a database.
set -euo pipefail
cd "$(dirname "$0")/.."
# What others may rely on: the last release or, until there is one, the committed baseline.
released=$(git describe --tags --abbrev=0 --match 'v*' 2>/dev/null || true)

step() { echo "verify: $*"; }

step "generated code is current"
before=$(mktemp -d)
trap 'rm -rf "$before"' EXIT
cp -R proto/gen "$before/gen"
cp -R gateway/internal/gen "$before/handlers"
cp -R gateway/internal/routes/testdata "$before/testdata"
buf generate
buf generate --template gateway/internal/routes/testdata/buf.gen.yaml
diff -r "$before/gen" proto/gen && diff -r "$before/handlers" gateway/internal/gen && diff -r "$before/testdata" gateway/internal/routes/testdata || { echo "run make generate and commit the result" >&2; exit 1; }

step "the OpenAPI documents are current"
proto/openapi/openapi.sh verify

step "the generator of the OpenAPI documents does what it says"
(cd proto/tools && GOWORK=off go test ./openapi)

step "the table of settings is current"
go run ./deploy/settings -check

step "Go files are formatted"
unformatted=$(git ls-files -co --exclude-standard '*.go' | grep -v '/gen/' | xargs gofmt -l)
[ -z "$unformatted" ] || { echo "run gofmt -w on: $unformatted" >&2; exit 1; }

step "no breaking change against ${released:-the baseline}"
if [ -n "$released" ]; then
	buf breaking --against ".git#tag=$released"
	git show "$released:proto/openapi/openapi.json" >"$before/openapi.json"
	proto/openapi/openapi.sh breaking "$before/openapi.json"
	deploy/migrations/check.sh "$released"
else
	buf build -o "$before/enlace.binpb"
	buf breaking "$before/enlace.binpb" --against proto/baseline/enlace.binpb.gz
	proto/openapi/openapi.sh breaking proto/baseline/openapi.json
fi

if git describe --exact-match --tags --match 'v*' >/dev/null 2>&1; then
	step "a release has the digests of the images of others"
	! grep '^[A-Z]*=' deploy/images/images.env | grep -v '@sha256:' || { echo "run make pin and commit the result" >&2; exit 1; }
fi

step "one Go version everywhere"
versions=$(grep -h '^go ' go.work proto/go.mod proto/tools/go.mod services/go.mod gateway/go.mod gateway/e2e/go.mod deploy/go.mod deploy/security/go.mod | sort -u)
[ "$(wc -l <<<"$versions")" -eq 1 ] || { echo "go lines differ: $versions" >&2; exit 1; }

for module in proto services gateway gateway/e2e deploy; do
	step "$module builds alone, vets clean, and its go.mod is tidy"
	(cd "$module" && GOWORK=off go vet -tags browser ./... && GOWORK=off go mod tidy -diff >/dev/null) ||
		{ echo "$module: see above, or run go mod tidy" >&2; exit 1; }
done
