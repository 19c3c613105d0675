#!/usr/bin/env bash
# Makes the secrets of the docker-compose set in deploy/docker/secretos, or in the folder
# that is given, which may be missing, those that are not there yet. Keep that folder as you would keep the
# database: without ENCRYPTION_KEYS and HASH_SECRET its encrypted columns cannot be read.
set -euo pipefail
umask 077
folder=${1:-$(dirname "$0")/secretos}
mkdir -p "$folder"
cd "$folder"

random() { head -c 32 /dev/urandom | base64 | tr '+/' '-_' | tr -d '=\n'; }

# make NAME COMMAND…: writes the command's output to the file NAME unless it exists.
make() {
	local name=$1
	shift
	[ -s "$name" ] || "$@" >"$name"
}

url() { printf 'postgres://%s:%s@postgres:5432/%s' "$1" "$(cat "db_$1")" "$2"; }

make db_postgres random
for role in registros_duenio registros_app integracion_duenio integracion_app; do
	make "db_$role" random
	make "url_$role" url "$role" "${role%_*}"
done
make service_secret random
make gateway_secret random
make jwt_secret random
make hash_secret random
llave() { head -c 32 /dev/urandom | base64 | tr -d '\n'; }
cifrado() { printf 'k1:%s' "$(llave)"; }
make encryption_keys cifrado
make evidence_keys llave
make grafana_admin random
# The containers run as a user without rights and must be able to read them.
chmod 0644 ./*
chmod 0700 .
