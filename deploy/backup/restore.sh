#!/usr/bin/env bash
# Restores a backup of backup.sh into two empty databases, while no service runs.
#
#   DATABASE_URL_REGISTROS=… DATABASE_URL_INTEGRACION=… restore.sh BACKUP
#
# The addresses are the owners'. The roles must be there (deploy/docker/initdb.sh makes
# them, and the empty databases). Start the services afterwards with the ENCRYPTION_KEYS,
# HASH_SECRET and EVIDENCE_KEYS of the backup's time; migrate first if they are newer than the backup, and
# run `registros reaplicar` and `integracion reaplicar` before they start: the backup has persons that were
# erased since, and secrets that were voided.
set -euo pipefail
: "${DATABASE_URL_REGISTROS:?}" "${DATABASE_URL_INTEGRACION:?}"
cd "$1"
sha256sum --check --quiet SHA256SUMS

for url in "$DATABASE_URL_REGISTROS" "$DATABASE_URL_INTEGRACION"; do
	tables=$(psql --no-psqlrc --tuples-only --no-align --dbname="$url" \
		--command="SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")
	[ "$tables" -eq 0 ] || { echo "a database is not empty: nothing was restored" >&2; exit 1; }
done
restore() { pg_restore --exit-on-error --single-transaction --no-owner --dbname="$1" "$2"; }
restore "$DATABASE_URL_REGISTROS" registros.dump
restore "$DATABASE_URL_INTEGRACION" integracion.dump

# The lists' revisions count on from the backup and would repeat those of what was lost; a
# new epoch keeps an ETag of before from standing for another list.
psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --dbname="$DATABASE_URL_REGISTROS" \
	--command="UPDATE instancia SET epoca = substr(replace(gen_random_uuid()::text, '-', ''), 1, 12)"
echo "restored $1; before the services start: registros migrate, integracion migrate, registros reaplicar, integracion reaplicar"
