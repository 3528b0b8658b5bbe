# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For the tests that kill commands: each is ended with SIGKILL at FAMILY_KILLS instants (default 20), spread over
# its whole run and a tenth more, every fifth time together with all processes that it has started.
# Afterwards no process is left, and the state is as before or as after the whole command.

# shellcheck source=tests/lab/tests/session-lib.sh disable=SC1091,SC2154
. "$LAB_TESTS/session-lib.sh"

times=${FAMILY_KILLS:-20}
both_every=5
name=
at=

# The control group of this test contains only its own processes, and those of the killed command.
group=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)
own=" $(tr '\n' ' ' <"$group/cgroup.procs")"
has_others() {
	others=
	while read -r process; do
		case $own in *" $process "*) ;; *) others="$others $process" ;; esac
	done <"$group/cgroup.procs"
	[ -n "$others" ]
}

problem() {
	[ ! -s err ] || sed 's/^/    /' err
	fail "$name${at:+ killed at $at s, LAB_SEED $LAB_SEED}: $*"
}

# Without processes, no perf event remains, and no BPF program that is not pinned.
await_end() {
	begin_wait
	while has_others; do
		may_wait && continue
		for process in $others; do
			echo "$process $(tr '\0' ' ' <"/proc/$process/cmdline") $(grep State "/proc/$process/status")"
		done
		problem "processes are left"
	done
}

# What the commands change, except the 3,000 files of events, which state_check reads.
look() (
	cd "$tracefs" || exit 1
	if [ -n "$id" ]; then
		look_at | sed "s/$id/ID/g; s/fathom_[0-9a-z_]*/fathom_ID/g"
	else
		look_at
		# A session is created before tracing is enabled.
		read -r on <tracing_on && echo "$on"
	fi
)
look_at() {
	grep -s '' current_tracer trace_clock buffer_size_kb set_event set_event_pid set_ftrace_filter \
		set_ftrace_pid set_graph_function max_graph_depth saved_cmdlines_size dynamic_events \
		options/* instances/*/current_tracer instances/*/set_event \
		instances/*/set_ftrace_filter instances/*/options/overwrite \
		/proc/sys/kernel/stack_tracer_enabled /proc/sys/kernel/kptr_restrict
	echo instances/*
}

# find_session: sets $id to the only session, if there is one.
find_session() {
	id=
	for journal in "$journals"/*; do
		[ -e "$journal" ] || return 1
		[ -z "$id" ] || problem "several sessions: $(ls "$journals")"
		id=${journal##*/}
		id=${id%.journal}
	done
}

# end_session: everything is as before.
end_session() {
	"$FATHOM" reset >out 2>err || problem "reset fails"
	! find_session || problem "reset leaves a session: $("$FATHOM" ps)"
}

same_as_before() {
	[ "$(look)" = "$before" ] || {
		look >now
		echo "$before" | diff - now
		problem "the state differs"
	}
}

# Both count in $killed the commands that had not ended. This one kills only the command, $at
# seconds after its start.
kill_alone() {
	{
		timeout --foreground -s KILL "$at" "$FATHOM" "$@" >out 2>err
		[ $? != 137 ] || killed=$((killed + 1))
	} 2>/dev/null
	await_end
}

# The command and all of its descendants, including those started in the meantime.
kill_both() {
	"$FATHOM" "$@" >out 2>err &
	sleep "$at"
	begin_wait
	while has_others; do
		# shellcheck disable=SC2086  # pids
		kill -9 $others 2>/dev/null
		may_wait || problem "processes cannot be killed"
	done
	wait $! 2>/dev/null
	[ $? != 137 ] || killed=$((killed + 1))
}

# instants MS: the times, in seconds, at which the command is killed, one in each part of MS.
instants() {
	awk -v seed="${LAB_SEED:-0}" -v times="$times" -v span="$1" 'BEGIN {
		srand(seed % 2147483647)
		for (n = 0; n < times; n++)
			printf "%.4f\n", (n + rand()) * span * 1.1 / times / 1000 + 0.0001 }'
}

# undisturbed WORD...: sets $span to the duration of the command in milliseconds: the shorter of two
# runs, because the first one has to probe the kernel, and either may be slow on a busy machine.
undisturbed() {
	span=
	for run in 1 2; do
		prepare
		begin=$(date +%s%N)
		"$FATHOM" "$@" >out 2>err
		code=$?
		took=$((($(date +%s%N) - begin) / 1000000))
		[ "${span:-$took}" -lt "$took" ] || span=$took
		[ "$code" = "$expected" ] || problem "exit code $code, not $expected, in run $run"
		await_end
		find_session
		applied=$(look)
		check complete
		undo
	done
}

# For each kind of command: prepare, the exit status, check [complete|both], undo.

# It leaves nothing but the file $data, if it is a recorder, which can be read.
leaves_nothing() { # [DATA [EXITCODE]]
	data=$1
	expected=${2:-0}
	prepare() { [ -z "$data" ] || rm -f "$data"; }
	check() {
		[ "$1" = both ] || ! find_session || problem "a session is left: $("$FATHOM" ps)"
		check_data "$1"
	}
	undo() { :; }
}

check_data() {
	if [ -n "$data" ] && [ -e "$data" ]; then
		"$FATHOM" report -q "$data" >text 2>err || problem "'$data' cannot be read"
	elif [ -n "$data" ] && [ "$1" = complete ]; then
		problem "there is no '$data'"
	fi
}

# It leaves a session: a complete one, or none.
begins_session() {
	data=
	expected=0
	prepare() { :; }
	check() {
		[ "$1" != both ] || return
		find_session || {
			[ "$1" != complete ] || problem "there is no session"
			return
		}
		"$FATHOM" ps | grep -q "^$id  detached" || problem "it is not kept: $("$FATHOM" ps)"
		[ "$(look)" = "$applied" ] || {
			look >now
			echo "$applied" | diff - now
			problem "a session with only some of its settings is kept"
		}
		end_session
	}
	undo() { :; }
}

# It needs a session with 100 events, which remains.
uses_session() { # [DATA]
	data=$1
	expected=0
	prepare() {
		"$FATHOM" start -q -e syscalls:sys_enter_getsid "$LAB_WORKLOADS/syscall-burst" 100 >out 2>err ||
			problem "start fails"
	}
	check() {
		find_session || problem "the session is gone"
		"$FATHOM" ps | grep -q "^$id  detached" || problem "it is not kept: $("$FATHOM" ps)"
	}
	undo() { [ -z "$id" ] || end_session; }
}

# kill_family NAME WORD...
kill_family() {
	name=$1
	killed=0
	id=
	at=
	before=$(look)
	undisturbed "$@"
	same_as_before
	n=0
	for at in $(instants "$span"); do
		n=$((n + 1))
		prepare
		if [ $((n % both_every)) = 0 ]; then
			kill_both "$@"
			check both
			end_session
		else
			kill_alone "$@"
			check
		fi
		undo
		same_as_before
	done
	at=
	"$FATHOM" ps >out
	grep -q '^no sessions' out || problem "$(cat out)"
	[ -z "$(ls /sys/fs/bpf)" ] || problem "pinned BPF programs: $(ls /sys/fs/bpf)"
	state_check "after kills of $name"
	[ "$killed" -gt 0 ] || problem "no kill came before the end"
	echo "$name: $n kills within $span ms, $((n - killed)) of them after the end"
}
