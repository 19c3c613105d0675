#!/usr/bin/env bash
# Makes sure that the scanners of `make security-check` are there, on Debian and its kin by
# installing their packages, which it says. They run against loopback, or the TARGET that is given.
set -euo pipefail

missing=()
for program in testssl:testssl.sh wapiti:wapiti sqlmap:sqlmap; do
	command -v "${program%%:*}" >/dev/null || missing+=("${program#*:}")
done
[ ${#missing[@]} -gt 0 ] || exit 0
if ! command -v apt-get >/dev/null || [ "$(id -u)" -ne 0 ]; then
	echo "security-check needs ${missing[*]}: install them with your system's packages" >&2
	exit 1
fi
echo "security-check installs ${missing[*]} with apt-get" >&2
apt-get update -qq >&2
DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --no-install-recommends "${missing[@]}" >/dev/null
