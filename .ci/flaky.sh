# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# flaky TEST N [KERNEL]: one test N times while a busy loop per core runs beside it. A lab test gets
# a fresh guest each time, on KERNEL or on each kernel that it declares. There is no such thing as a
# test that fails once in twenty: what fails here is a bug of the test or of the program.
# Sourced by .ci/run, which sets cores.
# shellcheck disable=SC2154

flaky() {
	if [ $# -lt 2 ] || [ $# -gt 3 ]; then
		echo "usage: .ci/run flaky TEST N [KERNEL]" >&2
		return 1
	fi
	[ -x build-gcc/src/cli/fathom ] || build build-gcc || return 0
	if [ -e "tests/lab/tests/$1" ] || [ -e "tests/security/$1" ]; then
		flaky_lab "$@"
	else
		with_load suites build-gcc --repeat "$2" "$1"
	fi
}

flaky_lab() { # TEST N [KERNEL]
	counted "flaky: $1" tests/lab/lab test --build build-gcc --repeat "$2" --fresh --snapshot \
		--busy "$cores" ${3:+-k "$3"} "$1"
}
