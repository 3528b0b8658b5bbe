# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For the tests of `fathom record`: compares the contents of recordings with the output of workloads.

burst=$LAB_WORKLOADS/syscall-burst
bad=0

complain() {
	echo "FAIL: $*"
	bad=1
}

# record OPTION... [COMMAND...]: records to r.dat; messages go to r.err.
record() {
	rm -f r.dat
	"$FATHOM" record -o r.dat "$@" 2>r.err
	code=$?
}

# expect CODE WHAT: the exit status that the last 'record' should have.
expect() {
	[ "$code" = "$1" ] || {
		complain "$2: exit code $code, not $1"
		sed 's/^/    /' r.err
	}
}

# The lines that syscall-burst prints, from the recording.
getsids() {
	"$FATHOM" report -q "${1:-r.dat}" | sed -n 's/0x0*//g
		s/.*-\([0-9]*\) .*: *\(sys_enter_getsid\): *pid: \(.*\)$/\1 \2 pid: \3/p
		s/.*-\([0-9]*\) .*: *\(sys_exit_getsid\): *\(.*\)$/\1 \2 \3/p' | sed 's/ *$//'
}

# count PATTERN: the number of lines of the report that match.
count() {
	"$FATHOM" report -q r.dat | grep -c -e "$1"
}

# has N PATTERN WHAT: the report has exactly N such lines.
has() {
	"$FATHOM" report -q r.dat >r.lines || complain "$3: the recording cannot be read"
	got=$(grep -c -e "$2" r.lines)
	[ "$got" = "$1" ] || complain "$3: $got lines with '$2', not $1"
}

# same WHAT: the recording contains exactly the calls in the file 'expected'.
same() {
	getsids >got
	cmp -s expected got || {
		complain "$1: the recording differs from what was done:"
		diff expected got | head -n 5
	}
}
