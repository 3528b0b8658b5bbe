# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What every way to run the tests shares: counts, problems, times, builds. Sourced by .ci/run, which
# ends with finish(). Everything is run even when something failed before.

passed=0 failed=0 skipped=0
problems=()
downloads=()
times=()
# Unit tests that could not run here, with the reason.
skips=()
# Files with the duration of each test: meson's testlog.json, the lab's times.tsv.
time_files=()
cores=$(nproc)

say() {
	printf '\n=== %s (%d s)\n' "$*" "$SECONDS"
}

# count PASSED FAILED SKIPPED
count() {
	passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
}

# A step that is not a test and must not fail.
must() {
	if ! "$@"; then
		problems+=("$*")
		count 0 1 0
		return 1
	fi
}

# timed NAME COMMAND...: records the duration, for the table at the end.
timed() {
	local begin=$SECONDS result
	"${@:2}"
	result=$?
	times+=("$((SECONDS - begin)) $1")
	return $result
}

# with_load COMMAND...: runs it with a busy loop per core in the background.
with_load() {
	local loops=() result
	for _ in $(seq "$cores"); do
		setpriv --pdeathsig KILL sh -c 'while :; do :; done' &
		loops+=($!)
	done
	"$@"
	result=$?
	kill "${loops[@]}"
	wait "${loops[@]}" 2>/dev/null
	return $result
}

# build DIR ARGUMENT...: configures and builds everything from scratch.
build() {
	rm -rf "$1"
	if command -v ccache >/dev/null; then
		export CCACHE_DIR=${XDG_CACHE_HOME:-$HOME/.cache}/fathom/ccache
	fi
	must meson setup "$1" -Dwerror=true "${@:2}" && timed "$1: build" must ninja -C "$1"
}

# suites BUILD-DIR ARGUMENT...: runs tests of a build and counts them.
suites() {
	local log begin=$SECONDS
	log=$(mktemp)
	# One more than there are cores, as tests also wait.
	meson test -C "$1" --no-rebuild --print-errorlogs --num-processes $((cores + 1)) "${@:2}" 2>&1 |
		tee "$log"
	times+=("$((SECONDS - begin)) $1: tests")
	time_files+=("$1/meson-logs/testlog.json")
	number() { awk -v key="$1" 'index($0, key ":") == 1 { n = $NF } END { print n + 0 }' "$log"; }
	count "$(($(number Ok) + $(number 'Expected Fail')))" \
		"$(($(number Fail) + $(number Timeout) + $(number 'Unexpected Pass')))" \
		"$(number Skipped)"
	if ! grep -q '^Ok: ' "$log"; then
		problems+=("the tests of $1 did not run")
		count 0 1 0
	fi
	while read -r test; do
		problems+=("$1: $test")
	done < <(sed -n '/^Summary of Failures/,/^Ok:/s/^ *[0-9/]* \(.* \(FAIL\|TIMEOUT\|UNEXPECTEDPASS\|ERROR\) .*\)/\1/p' "$log")
	rm -f "$log"
	# A program with skipped tests has passed for meson: its tests are counted here.
	while read -r test; do
		skips+=("$1: $test")
		count 0 0 1
	done < <(.ci/skips "$1/meson-logs/testlog.json")
}

# counted NAME COMMAND...: runs something that ends with a line of counts as our own.
counted() {
	local log last begin=$SECONDS
	log=$(mktemp)
	"${@:2}" 2>&1 | tee "$log"
	times+=("$((SECONDS - begin)) $1")
	last=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$log" | tail -n 1)
	while read -r test; do
		problems+=("$test")
	done < <(grep '^FAIL ' "$log")
	while read -r line; do
		downloads+=("$line")
	done < <(sed -n 's/^download failed: //p' "$log")
	rm -f "$log"
	if [ -z "$last" ]; then
		problems+=("$1: no result")
		count 0 1 0
		return
	fi
	# shellcheck disable=SC2046 # three numbers
	count $(tr -dc '0-9 ' <<<"$last")
	[[ $last == *" 0 failed,"* ]] || problems+=("$1: failed")
}

# finish: where the time went, what went wrong, and the counts. Sets the exit code: 1 if a test
# failed or none ran, 3 if something could not be downloaded and nothing else is wrong.
finish() {
	local line problem
	say "done"
	for line in "${times[@]}"; do
		printf '%7d s  %s\n' "${line%% *}" "${line#* }"
	done
	[ ${#time_files[@]} = 0 ] || .ci/times "${time_files[@]}"
	for line in "${skips[@]}"; do
		echo "skipped: $line"
	done
	for problem in "${problems[@]}"; do
		echo "problem: $problem"
	done
	for line in "${downloads[@]}"; do
		echo "download failed: $line"
	done
	echo "$passed passed, $failed failed, $skipped skipped"
	[ $failed -eq 0 ] && [ $passed -gt 0 ] || return 1
	[ ${#downloads[@]} = 0 ] || return 3
}
