#!/usr/bin/env bash
# Only for developers who reach no container registry: makes images with the names that the
# docker-compose set builds on and runs, out of Debian's packages and this machine's Go. With
# them the set and `make compose-check` run unchanged; they are not the real images, so what
# is inside of those stays unproved, and nothing made from them may be shipped.
#
#   deploy/docker/standins.sh          makes those that are missing
#   deploy/docker/standins.sh quitar   removes those that it made
#
# Needs root, mmdebstrap and an engine with buildx (DOCKER_HOST). Grafana has no Debian package,
# and so no stand-in.
set -euo pipefail

source "$(dirname "$0")/../images/images.env"
debian=debian:bookworm-slim
golang=$GOLANG
distroless=$DISTROLESS
postgres=$POSTGRES
prometheus=$PROMETHEUS
caddy=$CADDY
for name in "$golang" "$distroless" "$postgres" "$prometheus" "$caddy"; do
	[ "$name" = "${name%@*}" ] || { echo "no stand-in has the digest of $name: run deploy/images/images.sh unpin" >&2; exit 1; }
done

# What this script made, and so may remove, has this label.
mark=enlace.suplente=true

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

missing() { ! docker image inspect "$1" >/dev/null 2>&1; }

# image NAME: builds the Dockerfile of standard input in the folder of that name.
image() {
	local context=$folder/${1//[^a-z0-9]/-}
	mkdir -p "$context"
	docker build --quiet --label "$mark" --tag "$1" --file - "$context" >/dev/null
	echo "$1"
}

make_debian() {
	mmdebstrap --quiet --variant=minbase --include=ca-certificates,tzdata bookworm "$folder/debian.tar"
	docker import --change "LABEL $mark" "$folder/debian.tar" "$debian" >/dev/null
	echo "$debian"
}

make_golang() {
	local context=$folder/${golang//[^a-z0-9]/-}
	mkdir -p "$context"
	cp -r "$(go env GOROOT)" "$context/go"
	# The way to the modules is trusted as it is here.
	cp /etc/ssl/certs/ca-certificates.crt "$context/"
	image "$golang" <<-DOCKERFILE
		FROM $debian
		COPY go /usr/local/go
		COPY ca-certificates.crt /etc/ssl/certs/
		ENV PATH=/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
		ENV GOTOOLCHAIN=local GOPROXY=$(go env GOPROXY) GOSUMDB=$(go env GOSUMDB)
	DOCKERFILE
}

# Authorities, time zones, a user without rights and nothing to run.
make_distroless() {
	image "$distroless" <<-DOCKERFILE
		FROM $debian AS files
		RUN mkdir -p /root-of/etc/ssl/certs /root-of/usr/share /root-of/home/nonroot \
		 && cp /etc/ssl/certs/ca-certificates.crt /root-of/etc/ssl/certs/ \
		 && cp -r /usr/share/zoneinfo /root-of/usr/share/ \
		 && echo 'nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin' >/root-of/etc/passwd \
		 && echo 'nonroot:x:65532:' >/root-of/etc/group \
		 && install -d -m 1777 /root-of/tmp && chown 65532:65532 /root-of/home/nonroot
		FROM scratch
		COPY --from=files /root-of /
		ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt
		USER nonroot
		WORKDIR /home/nonroot
	DOCKERFILE
}

# The real entrypoint, as far as the set relies on it: user postgres, a password from a file,
# scripts that run once over the socket while TCP is still closed.
make_postgres() {
	local context=$folder/${postgres//[^a-z0-9]/-}
	mkdir -p "$context"
	cat >"$context/entrypoint.sh" <<-'SCRIPT'
		#!/bin/bash
		set -euo pipefail
		if [ ! -s "$PGDATA/PG_VERSION" ]; then
			initdb --username=postgres --pwfile="$POSTGRES_PASSWORD_FILE" --encoding=UTF8 --locale=C.UTF-8 ${POSTGRES_INITDB_ARGS:-} "$PGDATA"
			echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
			pg_ctl --wait --options="-c listen_addresses=''" start
			for script in /docker-entrypoint-initdb.d/*.sh; do
				POSTGRES_USER=postgres bash "$script"
			done
			pg_ctl --wait stop
		fi
		exec "$@" -c listen_addresses='*'
	SCRIPT
	chmod 0755 "$context/entrypoint.sh"
	image "$postgres" <<-DOCKERFILE
		FROM $debian
		RUN apt-get update && apt-get install --yes --no-install-recommends postgresql-15 \
		 && rm -rf /var/lib/apt/lists/* /var/lib/postgresql/* \
		 && install -d -o postgres -g postgres -m 0700 /var/lib/postgresql/data && chmod 3777 /var/run/postgresql
		COPY entrypoint.sh /usr/local/bin/docker-entrypoint.sh
		ENV PATH=/usr/lib/postgresql/15/bin:/usr/local/bin:/usr/bin:/bin PGDATA=/var/lib/postgresql/data
		VOLUME /var/lib/postgresql/data
		STOPSIGNAL SIGINT
		ENTRYPOINT ["docker-entrypoint.sh"]
		CMD ["postgres"]
	DOCKERFILE
}

# Debian's is older than the one whose name it gets.
make_prometheus() {
	image "$prometheus" <<-DOCKERFILE
		FROM $debian
		RUN apt-get update && apt-get install --yes --no-install-recommends prometheus \
		 && rm -rf /var/lib/apt/lists/* && install -d -o nobody -g nogroup /prometheus
		USER nobody
		ENTRYPOINT ["/usr/bin/prometheus"]
	DOCKERFILE
}

# The program alone, with the right to bind low ports that the real image gives it.
make_caddy() {
	local context=$folder/${caddy//[^a-z0-9]/-}
	mkdir -p "$context"
	CGO_ENABLED=0 GOBIN=$context go install "github.com/caddyserver/caddy/v2/cmd/caddy@v${caddy#*:}"
	image "$caddy" <<-DOCKERFILE
		FROM $debian
		RUN apt-get update && apt-get install --yes --no-install-recommends libcap2-bin && rm -rf /var/lib/apt/lists/*
		COPY caddy /usr/bin/caddy
		RUN setcap cap_net_bind_service=+ep /usr/bin/caddy
	DOCKERFILE
}

remove() {
	docker image ls --quiet --filter "label=$mark" | sort -u | xargs --no-run-if-empty docker image rm --force >/dev/null
}

if [ "${1:-}" = quitar ]; then
	remove
	exit
fi
for name in debian golang distroless postgres prometheus caddy; do
	if missing "${!name}"; then
		"make_$name"
	fi
done
