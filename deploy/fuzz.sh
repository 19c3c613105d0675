#!/usr/bin/env bash
# Runs every fuzz target of the repository, one after the other, for the time given or for a
# number of inputs such as 20000x. A number never ends in the "context deadline exceeded" with
# which go test now and then fails a target whose time is short.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-60s}

grep -rlE '^func Fuzz' --include '*_test.go' proto services gateway | while read -r file; do
	for target in $(grep -oE '^func Fuzz[A-Za-z0-9_]+' "$file" | cut -d' ' -f2); do
		echo "fuzz $target in $(dirname "$file") for $time"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "./$(dirname "$file")"
	done
done
