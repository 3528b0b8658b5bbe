# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For the tests of sessions: a holder with many settings, and the state before and after.

# shellcheck source=tests/lab/guest/tracefs-state disable=SC1091
. "$LAB_TESTS/../guest/tracefs-state"

holder=$LAB_WORKLOADS/session-holder
journals=/run/fathom

fail() {
	echo "FAIL: $*"
	exit 1
}

# What a recording with everything would set at the top level: one setting of each kind.
many_settings() {
	options=
	[ -e "$tracefs/buffer_subbuf_size_kb" ] && options="buffer_subbuf_size_kb=8"
	[ -e "$tracefs/events/sched/sched_switch/hist" ] &&
		options="$options events/sched/sched_waking/trigger+=hist:keys=pid"
	echo "tracing_on=0 trace_clock=mono buffer_size_kb=512 per_cpu/cpu0/buffer_size_kb=256 $options
		options/overwrite=0 options/stacktrace=1 set_event_pid=1 set_event_notrace_pid=2
		set_ftrace_filter=vfs_read set_ftrace_filter+=vfs_open:traceoff:5
		set_ftrace_filter+=vfs_write:stacktrace set_ftrace_notrace=vfs_write
		set_ftrace_pid=1 set_ftrace_notrace_pid=2 set_graph_function=vfs_read
		set_graph_notrace=vfs_write max_graph_depth=3 tracing_cpumask=1 tracing_thresh=7
		saved_cmdlines_size=20000 sysctl:kernel/kptr_restrict=2
		sysctl:kernel/ftrace_dump_on_oops=1
		events/sched/filter=common_pid==1 events/sched/sched_switch/filter=prev_pid==1
		events/sched/sched_wakeup/trigger+=stacktrace:3
		events/sched/sched_wakeup/trigger+=traceoff:1
		events/sched/sched_switch/enable=1 events/irq/enable=1
		set_event+=timer:timer_start current_tracer=function snapshot=1 tracing_on=1"
}

# hold WORD... : starts a holder in the background; sets $pid, and its output goes to $TMPDIR/holder.
hold() {
	"$holder" "$@" >"$TMPDIR/holder" 2>&1 &
	pid=$!
}

# The same with everything, in a private instance and at the top level.
hold_many() { # WORD...
	# shellcheck disable=SC2046  # words
	hold private set_ftrace_filter=vfs_read current_tracer=function events/sched/enable=1 exclude top \
		"event:p:fathomtest/probe vfs_read" $(many_settings) \
		events/fathomtest/probe/enable=1 "$@"
}

# Waits until the holder says "ready"; sets $id and $guardian.
await_ready() {
	for _ in $(seq 200); do
		if grep -q '^ready' "$TMPDIR/holder"; then
			read -r _ id pid guardian <"$TMPDIR/holder"
			return
		fi
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.05
	done
	cat "$TMPDIR/holder"
	fail "the holder did not come to its end"
}

# Waits until no journal is left, that is, until all guardians have done their work.
await_restored() {
	for _ in $(seq 400); do
		[ -z "$(ls "$journals" 2>/dev/null)" ] && return
		sleep 0.05
	done
	"$FATHOM" ps
	fail "journals are still there: $(ls "$journals")"
}

state_save() { state_print >"$TMPDIR/state"; }

state_check() { # WHEN
	state_print >"$TMPDIR/state-now"
	cmp -s "$TMPDIR/state" "$TMPDIR/state-now" && return
	diff "$TMPDIR/state" "$TMPDIR/state-now"
	fail "the state differs $*"
}
