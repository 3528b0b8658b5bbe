/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "kernel/tracefs/knob-kind.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"

static const struct {
	const char *pattern; /* as for fnmatch(3); `*` does not match a slash */
	enum knob_kind kind;
} knobs[] = {
	{ "current_tracer", KNOB_WORD },
	{ "tracing_on", KNOB_WORD },
	{ "trace_clock", KNOB_CHOICE },
	{ "buffer_size_kb", KNOB_SIZE },
	{ "per_cpu/cpu*/buffer_size_kb", KNOB_SIZE },
	{ "buffer_subbuf_size_kb", KNOB_WORD },
	{ "buffer_percent", KNOB_WORD },
	{ "options/*", KNOB_WORD },
	{ "set_event_pid", KNOB_PIDS },
	{ "set_event_notrace_pid", KNOB_PIDS },
	{ "set_ftrace_pid", KNOB_PIDS },
	{ "set_ftrace_notrace_pid", KNOB_PIDS },
	{ "set_ftrace_filter", KNOB_FUNCTIONS },
	{ "set_ftrace_notrace", KNOB_FUNCTIONS },
	{ "stack_trace_filter", KNOB_FUNCTIONS },
	{ "set_graph_function", KNOB_GRAPH },
	{ "set_graph_notrace", KNOB_GRAPH },
	{ "max_graph_depth", KNOB_WORD },
	{ "tracing_cpumask", KNOB_WORD },
	{ "tracing_thresh", KNOB_WORD },
	{ "tracing_max_latency", KNOB_WORD },
	{ "saved_cmdlines_size", KNOB_WORD },
	{ "syscall_user_buf_size", KNOB_WORD },
	{ "function_profile_enabled", KNOB_WORD },
	{ "snapshot", KNOB_SNAPSHOT },
	{ "per_cpu/cpu*/snapshot", KNOB_SNAPSHOT },
	{ "set_event", KNOB_EVENTS },
	{ "events/enable", KNOB_EVENTS },
	{ "events/*/enable", KNOB_EVENTS },
	{ "events/*/*/enable", KNOB_EVENT },
	{ "events/*/filter", KNOB_GROUP_FILTER },
	{ "events/*/*/filter", KNOB_FILTER },
	{ "events/*/*/trigger", KNOB_TRIGGERS },
	{ "hwlat_detector/width", KNOB_WORD },
	{ "hwlat_detector/window", KNOB_WORD },
	{ "hwlat_detector/mode", KNOB_CHOICE },
	{ "osnoise/cpus", KNOB_WORD },
	{ "osnoise/*_us", KNOB_WORD },
	{ "osnoise/print_stack", KNOB_WORD },
};

/*
 * Rejects "..", hidden files, empty components, and bytes that occur in no tracefs file name.
 */
static bool path_is_plain(const char *path)
{
	bool start = true;

	for (const char *p = path; *p; p++) {
		if (start && (*p == '.' || *p == '/'))
			return false;
		start = *p == '/';
		if (!start && !isgraph((unsigned char)*p))
			return false;
	}
	return !start;
}

enum knob_kind knob_kind_of(const char *file)
{
	if (!path_is_plain(file))
		return KNOB_NONE;
	for (size_t i = 0; i < ARRAY_SIZE(knobs); i++)
		if (fnmatch(knobs[i].pattern, file, FNM_PATHNAME) == 0)
			return knobs[i].kind;
	return KNOB_NONE;
}
