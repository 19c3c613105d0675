#!/usr/bin/env bash
# Makes and checks the OpenAPI documents. buf, protoc-gen-openapiv2 and oasdiff are expected on
# the PATH, where make puts them; the linter comes from npm into .local.
#
#   openapi.sh generate           write both documents
#   openapi.sh verify             fail unless both are what generate would write
#   openapi.sh lint               fail on any finding of the linter
#   openapi.sh breaking EARLIER   fail if the public contract breaks those who use the file EARLIER
set -euo pipefail
cd "$(dirname "$0")/../.."

public=proto/openapi/openapi.json
live=gateway/internal/docs/openapi.json
redocly_version=2.77.0

# generate_into PUBLIC LIVE
generate_into() {
	local swagger
	swagger=$(mktemp -d)
	buf generate --template proto/openapi/buf.gen.yaml -o "$swagger"
	GOWORK=off go -C proto/tools run ./openapi -swagger "$swagger/enlace.swagger.json" \
		-public "$(realpath "$1")" -live "$(realpath "$2")"
	rm -r "$swagger"
}

verify() {
	local made
	made=$(mktemp -d)
	touch "$made/public.json" "$made/live.json"
	generate_into "$made/public.json" "$made/live.json"
	diff -u "$public" "$made/public.json" && diff -u "$live" "$made/live.json" ||
		{ echo "run make openapi and commit the result" >&2; return 1; }
	rm -r "$made"
}

lint() {
	local home=.local/redocly-$redocly_version
	[ -x "$home/node_modules/.bin/redocly" ] ||
		npm install --silent --no-audit --no-fund --prefix "$home" "@redocly/cli@$redocly_version"
	REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true \
		"$home/node_modules/.bin/redocly" lint --config proto/openapi/redocly.yaml "$public" "$live"
}

breaking() {
	oasdiff breaking "$1" "$public" --severity-levels proto/openapi/severity.txt --fail-on WARN
}

case ${1:-} in
generate) generate_into "$public" "$live" ;;
verify) verify ;;
lint) lint ;;
breaking) breaking "${2:?the file to compare with}" ;;
*)
	sed -n 's/^#   //p' "$0" >&2
	exit 2
	;;
esac
