#!/usr/bin/env bash
# Looks at the documentation of a running gateway with a real browser; see docs-check/check.mjs.
#
#   deploy/docs-check.sh BASE_URL API_KEY     BASE_URL with its ROOT_PATH, if it has one
#
# Needs a Chromium (CHROMIUM, or chromium on the PATH; apt-get install chromium) and Node.
# Screenshots go to .local/docs-check.
set -euo pipefail
cd "$(dirname "$0")/.."

playwright_version=1.65.1
home=.local/playwright-$playwright_version
[ -d "$home/node_modules/playwright-core" ] ||
	npm install --silent --no-audit --no-fund --prefix "$home" "playwright-core@$playwright_version"
mkdir -p .local/docs-check
BASE_URL=${1:?base URL} API_KEY=${2:?API key} \
	CHROMIUM=${CHROMIUM:-$(command -v chromium)} PLAYWRIGHT=$PWD/$home/node_modules/playwright-core/index.mjs \
	node deploy/docs-check/check.mjs .local/docs-check
