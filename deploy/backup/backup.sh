#!/usr/bin/env bash
# Writes a backup of both databases into a new folder of the given one, and prints its path.
# The services go on meanwhile.
#
#   DATABASE_URL_REGISTROS=… DATABASE_URL_INTEGRACION=… backup.sh FOLDER
#
# The addresses are those of a role that row-level security does not hold (a superuser, or
# one with BYPASSRLS): another would dump nothing. Leave passwords to PGPASSFILE, for the
# arguments of pg_dump can be listed. ENCRYPTION_KEYS, HASH_SECRET and EVIDENCE_KEYS are not in
# the databases; without them the backup cannot be used, nor evidence be checked, and beside it
# they must not lie.
set -euo pipefail
: "${DATABASE_URL_REGISTROS:?}" "${DATABASE_URL_INTEGRACION:?}"
umask 077
mkdir -p "$1"
name=$1/$(date -u +%Y-%m-%dT%H%M%SZ)
mkdir "$name.parcial"

# registros first: every Caso in its dump then has its Reporte in the later one. What
# integracion knows more, it tells registros again after the restoration.
# No extension but PostgreSQL's own: ours need none, an owner may not make one, and a cluster's
# dump goes into a server without Citus.
dump() { pg_dump --format=custom --extension=plpgsql --file="$name.parcial/$1" --dbname="$2"; }
dump registros.dump "$DATABASE_URL_REGISTROS"
dump integracion.dump "$DATABASE_URL_INTEGRACION"
(cd "$name.parcial" && sha256sum registros.dump integracion.dump >SHA256SUMS)
# A folder with a whole name is a whole backup.
mv "$name.parcial" "$name"
echo "$name"
