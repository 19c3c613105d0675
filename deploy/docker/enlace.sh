#!/usr/bin/env bash
# Brings the docker-compose set up and changes its version, and writes into .env what compose must find again: VERSION,
# PREVIOUS_VERSION and how many replicas there are.
#
#   enlace.sh up [VERSION]       the set as .env has it; the first time, in this version (else the commit's)
#   enlace.sh upgrade VERSION    builds it, migrates while the version before serves, then changes replica by replica
#   enlace.sh rollback           replica by replica back to the version before; the databases stay as they are
#   enlace.sh down               stops it; data stays
set -euo pipefail
cd "$(dirname "$0")/../.."
source deploy/docker/dotenv.sh
programs=(registros integracion gateway)
migrated=(registros integracion)

say() { printf 'enlace: %s\n' "$*" >&2; }
refuse() { say "$*" && exit 1; }

replicas() { docker compose ps --quiet "$1" | wc -l; }
image_of() { docker inspect --format '{{.Config.Image}}' "$1"; }
scale_of() { echo "${1^^}_REPLICAS"; }

# note_scale: what runs, and not what was once asked for.
note_scale() {
	local program
	for program in "${programs[@]}"; do
		note "$(scale_of "$program")" "$(replicas "$program")"
	done
}

build() {
	say "construye las imágenes de $1"
	REVISION=$(git rev-parse HEAD 2>/dev/null || true) SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || echo 0) \
		VERSION=$1 docker compose build
}

has_images() {
	local program
	for program in "${programs[@]}"; do
		docker image inspect "enlace/$program:$1" >/dev/null 2>&1 || return 1
	done
}

up() {
	local version program
	version=$(setting VERSION)
	[ -z "${1:-}" ] || [ "${version:-$1}" = "$1" ] || refuse "la versión instalada es $version: para cambiarla, make upgrade VERSION=$1"
	version=${version:-${1:-$(git describe --tags --always --dirty)}}
	deploy/docker/secretos.sh "$(setting SECRETOS_DIR)"
	note VERSION "$version"
	has_images "$version" || build "$version"
	# A scale that was only an argument of compose would be lost here.
	for program in "${programs[@]}"; do
		[ -n "$(setting "$(scale_of "$program")")" ] || [ "$(replicas "$program")" = 0 ] || note "$(scale_of "$program")" "$(replicas "$program")"
	done
	docker compose up --detach --wait
}

# outdated PROGRAM VERSION: its replicas of other versions, the oldest first.
outdated() {
	local id
	for id in $(docker compose ps --quiet "$1"); do
		[ "$(image_of "$id")" = "enlace/$1:$2" ] || docker inspect --format '{{.Created}} {{.Id}}' "$id"
	done | sort | cut -d ' ' -f 2
}

# start_beside VERSION PROGRAM…: one more replica of each, which must become healthy; else they go again.
start_beside() {
	local version=$1 program before added scales=()
	shift
	before=$(docker compose ps --all --quiet)
	for program; do
		scales+=(--scale "$program=$(($(replicas "$program") + 1))")
	done
	VERSION=$version docker compose up --detach --wait --wait-timeout 180 --no-deps --no-recreate "${scales[@]}" "$@" && return
	added=$(docker compose ps --all --quiet | grep -vxF "$before" || true)
	[ -z "$added" ] || { docker logs --tail 20 "${added%%$'\n'*}" >&2 || true; xargs docker rm --force --volumes <<<"$added" >/dev/null; }
	return 1
}

# replace VERSION: while a program has replicas of another one, a new one of each begins and an old one of each leaves.
replace() {
	local version=$1 program old leaving changing pause
	while :; do
		leaving=() changing=() pause=10
		for program in "${programs[@]}"; do
			old=$(outdated "$program" "$version" | head -n 1)
			[ -n "$old" ] || continue
			leaving+=("$old") changing+=("$program")
			# Callers that know no other replica look for a new address only when their connection is old.
			[ "$(replicas "$program")" -gt 1 ] || [ "$program" = gateway ] || pause=40
		done
		[ ${#changing[@]} -gt 0 ] || return 0
		say "cambia una réplica de ${changing[*]} por una de $version"
		start_beside "$version" "${changing[@]}" || return 1
		sleep "$pause"
		docker stop --time 50 "${leaving[@]}" >/dev/null
		docker rm --volumes "${leaving[@]}" >/dev/null
	done
}

# change_to VERSION FROM: all replicas, or none.
change_to() {
	note_scale
	replace "$1" || {
		say "$1 no arrancó: vuelve a $2"
		replace "$2"
		exit 1
	}
	note PREVIOUS_VERSION "$2"
	note VERSION "$1"
	say "corre $1; make rollback vuelve a $2"
}

running() {
	[ -n "$(setting VERSION)" ] && [ "$(replicas gateway)" -gt 0 ] || refuse "nada corre: make up"
	setting VERSION
}

upgrade() {
	local version=${1:-} from program
	from=$(running)
	[ -n "$version" ] && [ "$version" != "$from" ] || refuse "corre ${from}: diga otra versión, make upgrade VERSION=…"
	build "$version"
	for program in "${migrated[@]}"; do
		VERSION=$version docker compose run --rm --no-TTY --no-deps "$program-migrate" </dev/null ||
			refuse "la migración de $program falló; nada cambió, sigue $from"
	done
	change_to "$version" "$from"
}

rollback() {
	local version from
	from=$(running)
	version=$(setting PREVIOUS_VERSION)
	[ -n "$version" ] || refuse "no hay versión anterior a $from"
	has_images "$version" || refuse "faltan las imágenes de $version"
	change_to "$version" "$from"
}

down() {
	[ -z "$(setting VERSION)" ] || docker compose down
}

case ${1:-} in
up | upgrade | rollback | down) "$@" ;;
*) sed -n '2,9s/^# \?//p' "$0" >&2 && exit 2 ;;
esac
