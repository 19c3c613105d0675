#!/usr/bin/env bash
# Fails when a migration of an earlier revision is not in the checkout as it was, or when a new one does not come after
# it: a database that has the earlier schema would then never get the present one. Prints the names of the new ones.
set -euo pipefail
cd "$(git rev-parse --show-toplevel)"
against=${1:-HEAD}

git rev-parse --quiet --verify "$against^{commit}" >/dev/null || { echo "no such revision here: $against" >&2; exit 1; }
migrations='/migrations/[0-9]+_[^/]*\.sql$'
earlier=$(git ls-tree -r --name-only "$against" | grep -E "$migrations" | LC_ALL=C sort || true)
present=$(git ls-files --cached --others --exclude-standard | grep -E "$migrations" | LC_ALL=C sort -u || true)

failed=0
fail() { echo "$*" >&2; failed=1; }

for file in $earlier; do
	git show "$against:$file" | cmp -s - "$file" ||
		fail "$file is not as it was in $against: leave it, and add a migration"
done

number() { basename "$1" | grep -oE '^[0-9]+'; }
for file in $(LC_ALL=C comm -13 <(echo "$earlier") <(echo "$present")); do
	[ -e "$file" ] || continue # deleted, but not yet in the index
	last=$(grep "^$(dirname "$file")/" <<<"$earlier" | tail -1 || true)
	if [ -n "$last" ] && [ "$((10#$(number "$file")))" -le "$((10#$(number "$last")))" ]; then
		fail "$file is to be numbered after $(basename "$last")"
	fi
	echo "$file"
done
exit $failed
