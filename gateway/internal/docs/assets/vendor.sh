#!/usr/bin/env bash
# Puts the documentation pages' libraries here again, as PROVENANCE describes them. Run it to
# change a version: edit the versions below, run, look at both pages, commit.
set -euo pipefail
cd "$(dirname "$0")"

swagger_ui=5.35.0
redoc=2.5.4

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# npm checks each package against the registry's integrity hash.
npm pack --silent --pack-destination "$work" "swagger-ui-dist@$swagger_ui" "redoc@$redoc" >/dev/null
mkdir "$work/swagger-ui" "$work/redoc"
tar -xzf "$work/swagger-ui-dist-$swagger_ui.tgz" -C "$work/swagger-ui" --strip-components 1
tar -xzf "$work/redoc-$redoc.tgz" -C "$work/redoc" --strip-components 1

# without_map FILE: the source map is not kept, and a browser would ask for it. Its address
# is a comment in the last line.
without_map() { sed -E '$ s;^(//|/\*)# sourceMappingURL=.*;;' "$1"; }

without_map "$work/swagger-ui/swagger-ui-bundle.js" >swagger-ui-bundle.js
without_map "$work/swagger-ui/swagger-ui.css" >swagger-ui.css
cat "$work/swagger-ui/LICENSE" "$work/swagger-ui/NOTICE" "$work/swagger-ui/swagger-ui-bundle.js.LICENSE.txt" >swagger-ui.LICENSE.txt

# ReDoc fetches its maker's logo from a CDN; an image that is none is left out by itself.
logo=https://cdn.redoc.ly/redoc/logo-mini.svg
grep -q "src:\"$logo\"" "$work/redoc/bundles/redoc.standalone.js"
without_map "$work/redoc/bundles/redoc.standalone.js" | sed "s|src:\"$logo\"|src:\"data:,\"|" >redoc.standalone.js
cat "$work/redoc/LICENSE" "$work/redoc/bundles/redoc.standalone.js.LICENSE.txt" >redoc.LICENSE.txt

cat >PROVENANCE <<END
Libraries of others for the documentation pages, put here by vendor.sh.

swagger-ui-bundle.js, swagger-ui.css
  npm package swagger-ui-dist $swagger_ui, Apache-2.0 (swagger-ui.LICENSE.txt), without source map comments
redoc.standalone.js
  npm package redoc $redoc, folder bundles, MIT (redoc.LICENSE.txt), without source map comment and without the address of its logo

sha256
$(sha256sum swagger-ui-bundle.js swagger-ui.css redoc.standalone.js)
END
