# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# nightly [PART...]: what takes too long for the gate, in parts of at most two hours that can be run
# alone; all of them without an argument. The last figures of each are in docs/nightly.md.
# Sourced by .ci/run, which sets cores.
# shellcheck disable=SC2154
#
#	lab-KERNEL	every lab test on that kernel
#	kills		hundreds of kill -9 of a recorder and its guardian, on each kernel
#	family		200 kill -9 of each command that traces, on the oldest and the newest kernel
#	why		every known failure that `fathom why` explains, on each kernel
#	flaky-I/M	every lab test 20 times, each on its slowest kernel, on a busy machine; this is
#			the I-th of M portions
#	truth-KERNEL	every workload of the truth suite, recorded in every way, on that kernel
#	fuzz		each fuzz target for four minutes; changes tests/fuzz/corpus and docs/nightly.md,
#			which are to be committed
#	torture		every allocation of every unit test fails once
#	mutate		the tests notice small faults of the code, 80 in each of four folders; changes
#			docs/nightly.md
#	analyze		clang's static analyzer on all sources
#	scale		files of 100 GB, 1,024 CPUs and 1,000 buffers; the viewer's time limits
#	soak		a recorder that runs for half an hour keeps its memory

nightly_parts=(lab-5.10 lab-6.1 lab-6.1-rt lab-6.12 lab-newest kills family why
	flaky-1/4 flaky-2/4 flaky-3/4 flaky-4/4
	truth-5.10 truth-6.1 truth-6.12 truth-newest fuzz torture mutate analyze scale soak)

nightly() {
	local part
	[ $# -gt 0 ] || set -- "${nightly_parts[@]}"
	for part in "$@"; do
		if ! declare -F "nightly_${part%%-*}" >/dev/null; then
			echo "no part '$part'; there are ${nightly_parts[*]}" >&2
			return 1
		fi
	done
	say packages
	step_packages
	for part in "$@"; do
		say "nightly $part"
		"nightly_${part%%-*}" "${part#*-}"
	done
}

need_gcc() {
	[ -x build-gcc/src/cli/fathom ] || build build-gcc
}

need_asan() {
	[ -x build-asan/src/cli/fathom ] || build_asan -Dtorture_seconds=0
}

nightly_lab() { # KERNEL
	need_gcc && counted "lab: $1" tests/lab/lab test --build build-gcc --every-kernel -k "$1"
}

nightly_kills() {
	need_gcc && counted "kills" tests/lab/lab test --build build-gcc --every-kernel \
		--env RECORD_KILLS=200 --env RECORD_KILLS_BOTH=50 --env SESSION_KILLS=200 \
		--timeout 7200 record-kill session-kill session-kill-both
}

nightly_family() {
	need_gcc && counted "family" tests/lab/lab test --build build-gcc --every-kernel -k 5.10 -k newest \
		--env FAMILY_KILLS=200 --timeout 7200 'family-kill*'
}

nightly_why() {
	need_gcc && counted "why" tests/lab/lab test --build build-gcc --every-kernel \
		--env FATHOM_WHY_ALL=1 --timeout 3600 why &&
		counted "why: corpus" tests/lab/lab test --build build-gcc \
			--env FATHOM_WHY_ALL=1 --env FATHOM_WHY_REAL=1 --timeout 7200 why-corpus
}

nightly_flaky() { # I/M
	need_gcc && counted "flaky $1" tests/lab/lab test --build build-gcc --slowest-kernel \
		--repeat 20 --fresh --snapshot --busy "$cores" --portion "$1"
}

nightly_truth() { # KERNEL
	local cpus
	need_gcc || return
	for cpus in 1 2 4; do
		counted "truth: $1, CPUs: $cpus" tests/truth/truth test --build build-gcc --all -k "$1" --cpus $cpus
	done
}

nightly_fuzz() {
	need_asan || return
	timed "fuzz: ${FATHOM_FUZZ_SECONDS:-240} s each" fuzz "${FATHOM_FUZZ_SECONDS:-240}"
	timed "fuzz: corpora" must .ci/fuzz-corpus build-asan
	must .ci/fuzz-table build-asan docs/nightly.md
}

nightly_torture() {
	build_asan -Dtorture_seconds=0 && suites build-asan --suite torture -t 20
}

nightly_mutate() {
	need_gcc && suites build-gcc mutate-test
	counted "mutate" tools/mutate --faults "${FATHOM_FAULTS:-80}" --jobs "$cores" --seconds 6000 \
		--table docs/nightly.md src/analyze src/read src/format src/record
}

nightly_analyze() {
	need_gcc && counted "analyze" tools/analyze build-gcc
}

nightly_scale() {
	need_gcc && suites build-gcc sparse-test && mkdir -p build-gcc/scale &&
		cp tests/golden/6.1-4cpu-fgraph-syscalls-v7zstd.dat build-gcc/scale/graph.dat &&
		timed "scale: viewer" must bench/tui/tui-bench build-gcc build-gcc/scale
}

nightly_soak() {
	need_gcc && counted "soak" tests/lab/lab test --build build-gcc --tests tests/lab/nightly \
		-k 6.1 -k newest soak
}
