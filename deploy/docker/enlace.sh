#!/usr/bin/env bash
# Brings the docker-compose set up and changes its version, and writes into .env what compose must find again: VERSION,
# PREVIOUS_VERSION and how many replicas there are.
#
#   enlace.sh up [VERSION]       the set as .env has it; the first time, in this version (else the commit's)
#   enlace.sh upgrade VERSION    builds it, migrates while the version before serves, then changes replica by replica
#   enlace.sh rollback           replica by replica back to the version before, or what is left of a change that was
#                                cut back to the version that .env names; the databases stay as they are
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

# note_scale VERSION: what runs, and not what was once asked for; but not what a change that was cut left.
note_scale() {
	local program
	for program in "${programs[@]}"; do
		[ -n "$(setting "$(scale_of "$program")")" ] && [ -n "$(outdated "$program" "$1")" ] ||
			note "$(scale_of "$program")" "$(replicas "$program")"
	done
}

# build VERSION: the programs. caddy has a version of its own, and compose builds it where that is not there yet: nothing
# but a new one changes the public port.
build() {
	say "construye las imágenes de $1"
	REVISION=$(git rev-parse HEAD 2>/dev/null || true) SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || echo 0) \
		VERSION=$1 docker compose build "${migrated[@]/%/-migrate}" gateway
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
	for id in $(docker compose ps --all --quiet "$1"); do
		[ "$(image_of "$id")" = "enlace/$1:$2" ] || docker inspect --format '{{.Created}} {{.Id}}' "$id"
	done | sort | cut -d ' ' -f 2
}

# enough_without PROGRAM REPLICA: whether as many others are healthy as .env asks for.
enough_without() {
	local others
	others=$(docker compose ps --quiet "$1" | grep -v "^$2" | xargs --no-run-if-empty docker inspect --format '{{.State.Health.Status}}' | grep -c '^healthy')
	[ "$others" -ge "$(setting "$(scale_of "$1")")" ]
}

# start_beside VERSION PROGRAM…: one replica of each more than .env says, which must become healthy; else they go again.
start_beside() {
	local version=$1 program before added scales=()
	shift
	before=$(docker compose ps --all --quiet)
	for program; do
		scales+=(--scale "$program=$(($(setting "$(scale_of "$program")") + 1))")
	done
	VERSION=$version docker compose up --detach --wait --wait-timeout 180 --no-deps --no-recreate "${scales[@]}" "$@" && return
	added=$(docker compose ps --all --quiet | grep -vxF "$before" || true)
	[ -z "$added" ] || { docker logs --tail 20 "${added%%$'\n'*}" >&2 || true; xargs docker rm --force --volumes <<<"$added" >/dev/null; }
	return 1
}

# replace VERSION: while a program has replicas of another one, a new one of each begins and an old one of each leaves.
replace() {
	local version=$1 program old leaving changing missing pause
	while :; do
		leaving=() changing=() missing=() pause=10
		for program in "${programs[@]}"; do
			old=$(outdated "$program" "$version" | head -n 1)
			[ -n "$old" ] || continue
			leaving+=("$old") changing+=("$program")
			enough_without "$program" "$old" || missing+=("$program")
			# Callers that know no other replica look for a new address only when their connection is old.
			[ "$(replicas "$program")" -gt 1 ] || [ "$program" = gateway ] || pause=40
		done
		[ ${#changing[@]} -gt 0 ] || return 0
		say "cambia una réplica de ${changing[*]} por una de $version"
		[ ${#missing[@]} = 0 ] || start_beside "$version" "${missing[@]}" || return 1
		sleep "$pause"
		docker stop --time 50 "${leaving[@]}" >/dev/null
		docker rm --volumes "${leaving[@]}" >/dev/null
	done
}

# change_to VERSION FROM: all replicas, or none.
change_to() {
	note_scale "$2"
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

# cut_short VERSION: whether a change from it was neither finished nor taken back.
cut_short() {
	local program
	for program in "${programs[@]}"; do
		[ -z "$(outdated "$program" "$1")" ] || return 0
	done
	return 1
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
	if cut_short "$from"; then
		say "un cambio quedó a medias: vuelve a $from"
		replace "$from"
		return
	fi
	version=$(setting PREVIOUS_VERSION)
	[ -n "$version" ] || refuse "no hay versión anterior a $from"
	has_images "$version" || refuse "faltan las imágenes de $version"
	change_to "$version" "$from"
}

down() {
	# Of a profile too that was only an argument of compose.
	[ -z "$(setting VERSION)" ] || docker compose --profile '*' down
}

case ${1:-} in
up | upgrade | rollback | down) "$@" ;;
*) sed -n '2,10s/^# \?//p' "$0" >&2 && exit 2 ;;
esac
