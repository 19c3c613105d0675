#!/usr/bin/env bash
# Backs up and restores the databases of the docker-compose set, in and from BACKUP_DIR (respaldos).
#
#   compose.sh backup            prints the backup's folder there; the set goes on meanwhile
#   compose.sh restore BACKUP    the set stops meanwhile; the databases that it had keep their data under other names
set -euo pipefail
cd "$(dirname "$0")/../.."
source deploy/docker/dotenv.sh
folder=$(setting BACKUP_DIR)
mkdir -p "${folder:-respaldos}"

inside() { docker compose run --rm --no-TTY --user "$(id -u):$(id -g)" respaldo "$@" </dev/null; }

restore() {
	: "${1:?BACKUP}"
	inside check "$(basename "$1")"
	docker compose stop caddy gateway registros integracion
	inside restore "$(basename "$1")"
	docker compose run --rm --no-TTY registros-migrate </dev/null
	docker compose run --rm --no-TTY integracion-migrate </dev/null
	docker compose run --rm --no-TTY registros-reaplicar </dev/null
	# What it prints are the new claves of operators whose old ones do not work again.
	docker compose run --rm --no-TTY --no-deps integracion reaplicar </dev/null
	docker compose up --detach --wait
	echo "falta, en una sesión de operador: docker compose exec integracion /integracion reportes reenviar"
}

case ${1:-} in
backup) inside backup | sed "s!^/respaldos!${folder:-respaldos}!" ;;
restore) "$@" ;;
*) sed -n '2,5s/^# \?//p' "$0" >&2 && exit 2 ;;
esac
