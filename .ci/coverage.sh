# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# coverage [unit] [lab]: which lines and functions of src/ the tests reach, by folder; default: both.
# Sourced by .ci/run.
#
# unit is the suites unit, cli and golden of meson, lab the tests in guests; COVERAGE_LAB_TESTS may
# name some of these, by patterns as `lab test` takes them, and COVERAGE_LAB_KERNELS the kernels.
# Results in build-coverage: coverage.md (the table), unreached.txt (functions that no test reached),
# and coverage.info, which editors and genhtml read.
#
# The counters are clang's, in files that each process maps when it starts. A process counts even if
# it is killed, ends by _exit() or has entered its sandbox, in which it can open no file: with gcov
# all readers of traces would show as untested.
# Not counted: what a program does as a user who may not write to build-coverage (it complains about
# that on stderr), and a guest that dies. Counters of threads may lose an increment, which does not
# matter here.

counted_build=$PWD/build-coverage
profiles=$counted_build/profiles

coverage() {
	local part
	[ $# -gt 0 ] || set -- unit lab
	for part in "$@"; do
		if [ "$part" != unit ] && [ "$part" != lab ]; then
			echo "coverage: unknown part '$part': expected unit or lab" >&2
			return 1
		fi
	done
	empty_profiles
	must build_counted || return 0
	rm -rf "$counted_build/reached"
	mkdir "$counted_build/reached"
	for part in "$@"; do
		empty_profiles
		"coverage_$part"
	done
	must merge_counters && must .ci/coverage-table "$counted_build/coverage.info" \
		"$counted_build/coverage.md" "$counted_build/unreached.txt" &&
		cat "$counted_build/coverage.md"
	return 0
}

configure_counted() {
	local flags=(-fcoverage-mapping -mllvm -runtime-counter-relocation)
	flags+=("-fprofile-instr-generate=$profiles/%m%c.profraw")
	# Workloads are traced, and the counters would show up.
	echo '!src:*/tests/workloads/*' >"$counted_build/uncounted"
	flags+=("-fprofile-list=$counted_build/uncounted")
	# meson's compiler checks would leave a file in the current directory.
	CC=clang LLVM_PROFILE_FILE=/dev/null meson setup "$counted_build" -Dbuildtype=debug \
		-Doptimization=1 -Dc_args="${flags[*]}" -Dc_link_args=-fprofile-instr-generate
}

build_counted() {
	[ -f "$counted_build/build.ninja" ] || configure_counted || return
	ninja -C "$counted_build"
}

# Each part starts with an empty directory: guests see the host's files, and would count them again.
empty_profiles() {
	rm -rf "$profiles"
	mkdir -p "$profiles"
	chmod 1777 "$profiles"
}

coverage_unit() {
	suites build-coverage --timeout-multiplier 5 --suite unit --suite cli --suite golden
	mv "$profiles" "$counted_build/reached/unit"
}

coverage_lab() {
	local kernels=() patterns=() name
	for name in ${COVERAGE_LAB_KERNELS:-}; do
		kernels+=(-k "$name")
	done
	read -ra patterns <<<"${COVERAGE_LAB_TESTS:-}"
	rm -rf "$counted_build/lab"
	counted "coverage: lab" tests/lab/lab test --build "$counted_build" --collect "$profiles" \
		"${kernels[@]}" "${patterns[@]}"
	mv "$counted_build/lab/collected" "$counted_build/reached/lab"
}

# The program and the library contain all of src/; the counters of the unit tests are for the same
# code.
merge_counters() {
	local reached=$counted_build/reached
	find "$reached" -name '*.profraw' >"$reached/list"
	llvm-profdata merge --failure-mode=all --input-files="$reached/list" \
		-o "$reached/all.profdata" &&
		llvm-cov export --format=lcov --instr-profile="$reached/all.profdata" \
			"$counted_build/src/cli/fathom" --object="$counted_build/src/libfathom.so" \
			>"$counted_build/coverage.info"
}
