#!/bin/bash
# Runs once, when PostgreSQL makes its data folder: a database each, with an owner who
# migrates and an application role, which row-level security holds. Passwords are files. Text is compared
# byte by byte: a language's order is slower, and changes with the C library beneath an index.
# With the argument "databases" it makes those alone, for roles that are there.
set -euo pipefail

secret() { cat "/run/secrets/$1"; }
sql() { psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname postgres "$@"; }

[ "${1:-}" = databases ] || sql \
	--set registros_duenio="$(secret db_registros_duenio)" --set registros_app="$(secret db_registros_app)" \
	--set integracion_duenio="$(secret db_integracion_duenio)" --set integracion_app="$(secret db_integracion_app)" <<'SQL'
CREATE ROLE enlace_app NOLOGIN;
CREATE ROLE registros_duenio LOGIN PASSWORD :'registros_duenio';
CREATE ROLE registros_app LOGIN PASSWORD :'registros_app' IN ROLE enlace_app;
CREATE ROLE integracion_duenio LOGIN PASSWORD :'integracion_duenio';
CREATE ROLE integracion_app LOGIN PASSWORD :'integracion_app' IN ROLE enlace_app;
SQL
sql <<'SQL'
CREATE DATABASE registros OWNER registros_duenio TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C.UTF-8';
CREATE DATABASE integracion OWNER integracion_duenio TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C.UTF-8';
REVOKE CONNECT ON DATABASE registros, integracion FROM PUBLIC;
GRANT CONNECT, TEMPORARY ON DATABASE registros TO registros_app;
GRANT CONNECT, TEMPORARY ON DATABASE integracion TO integracion_app;
SQL
