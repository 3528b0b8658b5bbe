# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For the tests of sessions: a holder with many settings, the state before and after, and ways to
# wait for a condition.

# shellcheck source=tests/lab/guest/tracefs-state disable=SC1091
. "$LAB_TESTS/../guest/tracefs-state"

holder=$LAB_WORKLOADS/session-holder
journals=/run/fathom
instant=

fail() {
	echo "FAIL: $*"
	[ -z "$instant" ] || echo "the last instant was $instant ms, LAB_SEED $LAB_SEED"
	exit 1
}

# Succeeds until a minute has passed since 'begin_wait'. A condition that is true costs nothing, so
# the limit far exceeds what a busy machine needs.
begin_wait() {
	read -r now _ </proc/uptime
	deadline=$((${now%.*} + 60))
}
may_wait() {
	read -r now _ </proc/uptime
	[ "${now%.*}" -lt "$deadline" ] && sleep 0.05
}

# await WHAT COMMAND...: waits until the command, which the shell evaluates, succeeds.
await() {
	what=$1
	shift
	begin_wait
	until eval "$*"; do
		may_wait || {
			fail "still waiting after a minute: $what"
			return 1
		}
	done
}

# Conditions for 'await': a file that is not empty, or has such a line; a process that has exited (a
# zombie has closed its files as well); a recorder whose command runs. A recorder creates its file
# when tracing is enabled.
has_data() { [ -s "$1" ]; }
has_line() { grep -qs -e "$1" "$2"; }
has_ended() { ! grep -qs '^State:.[^XZ]' "/proc/$1/status"; }
has_child() { child=$(pgrep -P "$1" -x "$2"); }

# pick N TIMES SPAN: sets $instant to a number of milliseconds in the Nth of TIMES parts of SPAN,
# which depends on LAB_SEED, of which awk takes 31 bits only.
pick() {
	instant=$(awk -v seed="${LAB_SEED:-0}" -v n="$1" -v times="$2" -v span="$3" \
		'BEGIN { srand((seed + n) % 2147483647); printf "%d", (n - 1 + rand()) * span / times }')
}

# Sleeps for $instant.
sleep_instant() {
	sleep "$((instant / 1000)).$(printf %03d $((instant % 1000)))"
}

# What a recording of everything would set at the top level: one setting of each kind.
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

# hold WORD... : starts a holder in the background; sets $pid, and its output goes to
# $TMPDIR/holder.
hold() {
	"$holder" "$@" >"$TMPDIR/holder" 2>&1 &
	pid=$!
}

# Likewise with everything, in a private instance and at the top level.
hold_many() { # WORD...
	# shellcheck disable=SC2046  # words
	hold private set_ftrace_filter=vfs_read current_tracer=function events/sched/enable=1 exclude top \
		"event:p:fathomtest/probe vfs_read" $(many_settings) \
		events/fathomtest/probe/enable=1 "$@"
}

# An argument for a holder: it waits until the test calls 'go_on'.
until_told="run=until [ -e $TMPDIR/go-on ]; do sleep 0.05; done; rm $TMPDIR/go-on"
go_on() { : >"$TMPDIR/go-on"; }

# Waits until the holder prints "ready"; sets $id and $guardian.
await_ready() {
	begin_wait
	while kill -0 "$pid" 2>/dev/null && ! has_line '^ready' "$TMPDIR/holder" && may_wait; do :; done
	has_line '^ready' "$TMPDIR/holder" || {
		cat "$TMPDIR/holder"
		fail "the holder did not come to its end"
	}
	read -r _ id pid guardian <"$TMPDIR/holder"
}

# Waits until no journal is left, that is, until all guardians have finished.
await_restored() {
	begin_wait
	until [ -z "$(ls "$journals" 2>/dev/null)" ]; do
		may_wait || {
			"$FATHOM" ps
			fail "journals are still there: $(ls "$journals")"
			return 1
		}
	done
}

state_save() { state_print >"$TMPDIR/state"; }

state_check() { # WHEN
	state_print >"$TMPDIR/state-now"
	cmp -s "$TMPDIR/state" "$TMPDIR/state-now" && return
	diff "$TMPDIR/state" "$TMPDIR/state-now"
	fail "the state differs $*"
}
