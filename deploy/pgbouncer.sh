#!/usr/bin/env bash
# Prints the path of a pgbouncer: the machine's own, or on Debian and its kin one that is
# unpacked into the given folder with the libraries it needs. Nothing is installed.
set -euo pipefail
folder=$1

for found in "$(command -v pgbouncer || true)" /usr/sbin/pgbouncer "$folder/pgbouncer"; do
	if [ -x "$found" ]; then
		echo "$found"
		exit
	fi
done
command -v apt-get >/dev/null || {
	echo "no pgbouncer here: install it (brew install pgbouncer, dnf install pgbouncer)" >&2
	exit 1
}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
debs=$(mktemp -d)
trap 'rm -rf "$debs"' EXIT
packages=(pgbouncer libc-ares2 libevent-2.1-7)
download() { (cd "$debs" && apt-get download -qq "${packages[@]}" 2>"$debs/errors"); }
download || { [ "$(id -u)" -eq 0 ] && apt-get update -qq >&2 && download; } || {
	cat "$debs/errors" >&2
	exit 1
}
for deb in "$debs"/*.deb; do
	dpkg-deb --extract "$deb" "$folder/root"
done
libraries=$(dirname "$(find "$folder/root" -name 'libevent-2.1.so.7' | head -n 1)")
# Whole only once it can be run.
printf '#!/bin/sh\nLD_LIBRARY_PATH=%q exec %q "$@"\n' "$libraries" "$folder/root/usr/sbin/pgbouncer" >"$folder/pgbouncer.new"
chmod +x "$folder/pgbouncer.new"
mv "$folder/pgbouncer.new" "$folder/pgbouncer"
echo "$folder/pgbouncer"
