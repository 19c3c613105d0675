#!/usr/bin/env bash
# The part of compose.sh that runs in the set's network, as PostgreSQL's superuser.
set -euo pipefail
export PGHOST=postgres PGUSER=postgres PGDATABASE=postgres
PGPASSWORD=$(cat /run/secrets/db_postgres)
export PGPASSWORD

backup() {
	DATABASE_URL_REGISTROS=postgres:///registros DATABASE_URL_INTEGRACION=postgres:///integracion exec /backup/backup.sh /respaldos
}

# aside: the databases that are there get the time as a second name, and empty ones their place.
aside() {
	local database now
	now=$(date -u +%Y%m%dT%H%M%SZ)
	for database in registros integracion; do
		psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --command "ALTER DATABASE $database RENAME TO \"${database}_$now\""
	done
	bash /backup-initdb.sh databases
	echo "lo que había quedó en registros_$now e integracion_$now"
}

# check NAME: before anything is touched.
check() { (cd "/respaldos/$1" && sha256sum --check --quiet SHA256SUMS); }

restore() {
	aside
	DATABASE_URL_REGISTROS=$(cat /run/secrets/url_registros_duenio) DATABASE_URL_INTEGRACION=$(cat /run/secrets/url_integracion_duenio) \
		exec /backup/restore.sh "/respaldos/$1"
}

"$@"
