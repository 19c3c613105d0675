#!/usr/bin/env bash
# Writes what images.env says of the images of others to all places that name one:
#
#   deploy/images/images.sh pin     with the digests of now, name:tag@sha256:…
#   deploy/images/images.sh unpin   without, for images of your own under the same names
#
# The digests come from the registries, through crane, skopeo or docker with buildx, whichever
# is there. Nothing is written unless all of them were found.
set -euo pipefail
cd "$(dirname "$0")/../.."
list=deploy/images/images.env
places=("$list" docker-compose.yml deploy/docker/Dockerfile deploy/kubernetes/overlays/demo/postgres.yaml)

of_bytes() { sha256sum | sed 's/^/sha256:/; s/ .*//'; }

# digest NAME:TAG: what the registry has there, for all architectures at once.
digest() {
	if command -v crane >/dev/null; then
		crane digest "$1"
	elif command -v skopeo >/dev/null; then
		skopeo inspect --raw "docker://$1" | of_bytes
	else
		docker buildx imagetools inspect --raw "$1" | of_bytes
	fi
}

edits=$(mktemp)
trap 'rm -f "$edits"' EXIT
while IFS== read -r _ image; do
	image=${image%@*}
	pinned=$image
	case ${1:-} in
	pin)
		found=$(digest "$image")
		[[ $found =~ ^sha256:[0-9a-f]{64}$ ]] || { echo "no digest of $image: $found" >&2; exit 1; }
		pinned=$image@$found
		;;
	unpin) ;;
	*) sed -n '2,9s/^# \?//p' "$0" >&2 && exit 2 ;;
	esac
	# Only whole names: not the ends of longer ones, nor the beginnings of longer tags.
	printf 's!(^|[ =])%s(@sha256:[0-9a-f]{64})?($| )!\\1%s\\3!\n' "${image//./\\.}" "$pinned" >>"$edits"
	echo "$pinned"
done < <(grep -v '^#' "$list")
for place in "${places[@]}"; do
	sed -E -f "$edits" "$place" >"$place.new"
	cat "$place.new" >"$place" # and not moved: the file keeps its mode
	rm "$place.new"
done
