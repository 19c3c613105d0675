#!/usr/bin/env bash
# Makes, in deploy/docker/certificados or in the folder that is given, an authority of one's own and from it the
# certificates that registros, integracion and the gateway show each other; those that are not there yet. To renew one,
# remove its file. ca-key.pem can make more of them: put it away, where no program reads it.
set -euo pipefail
umask 077
folder=${1:-$(dirname "$0")/certificados}
mkdir -p "$folder"
cd "$folder"

key=(-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes)
[ -s ca.pem ] || openssl req -x509 "${key[@]}" -days 3650 -subj /CN=Enlace -keyout ca-key.pem -out ca.pem
for name in registros integracion gateway; do
	[ ! -s "$name.pem" ] || continue
	openssl req "${key[@]}" -subj "/CN=$name" -addext "subjectAltName=DNS:$name" -keyout "$name-key.pem" -out "$name.csr"
	openssl x509 -req -in "$name.csr" -CA ca.pem -CAkey ca-key.pem -copy_extensions copy -days 365 -out "$name.pem"
	rm "$name.csr"
done 2>/dev/null
# The containers run as a user without rights and must be able to read theirs.
chmod 0644 ./*.pem
[ ! -e ca-key.pem ] || chmod 0600 ca-key.pem
chmod 0700 .
