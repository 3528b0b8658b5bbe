/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "kernel/tracefs/ftrace-reset.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/negative-errno.h"
#include "base/strbuf.h"
#include "kernel/tracefs/instance-dir.h"
#include "kernel/tracefs/knob.h"

#define PATH_SIZE 512
#define BUSY_MS	  2000

/*
 * In this order: the most expensive setting first; filters only after whatever they limit is
 * disabled.
 */
static const struct {
	const char *file, *value;
} defaults[] = {
	{ "current_tracer", "nop" },	     { "events/enable", "" },
	{ "function_profile_enabled", "0" }, { "set_event_pid", "" },
	{ "set_event_notrace_pid", "" },     { "set_ftrace_pid", "" },
	{ "set_ftrace_notrace_pid", "" },    { "set_ftrace_filter", "" },
	{ "set_ftrace_notrace", "" },	     { "set_graph_function", "" },
	{ "set_graph_notrace", "" },	     { "stack_trace_filter", "" },
	{ "max_graph_depth", "0" },	     { "tracing_thresh", "0" },
	{ "trace_clock", "local" },	     { "snapshot", "0" },
};

/* Opening these with O_TRUNC empties them. */
static const char *const emptied[] = {
	"synthetic_events", "dynamic_events", "kprobe_events",
	"uprobe_events",    "error_log",      "trace",
};

struct reset {
	int tracefs;
	int first; /* the first failure, or 0 */
	struct fathom_err *err;
};

/* A file that this kernel lacks is not a failure. */
static void ftrace_reset_note(struct reset *reset, int r, const char *what)
{
	if (r >= 0 || r == -ENOENT || reset->first < 0)
		return;
	reset->first = err_set_errno(reset->err, r, "cannot reset '%s'", what);
}

/* Calls @each for every entry of a directory, except those that start with a dot. */
static void each_entry(struct reset *reset, const char *path,
		       void (*each)(struct reset *reset, const char *path, const char *name))
{
	int fd = openat(reset->tracefs, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_closedir_ DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir) {
		/* Skip files between the directories. */
		if (errno != ENOTDIR)
			ftrace_reset_note(reset, negative_errno(), path);
		if (fd >= 0)
			close(fd);
		return;
	}
	for (struct dirent *entry; (entry = readdir(dir));)
		if (entry->d_name[0] != '.')
			each(reset, path, entry->d_name);
}

static void reset_event(struct reset *reset, const char *group, const char *name)
{
	static const char *const files[] = { "trigger", "filter" };
	char path[PATH_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		int r;

		if (snprintf(path, sizeof(path), "%s/%s/%s", group, name, files[i]) >=
		    (int)sizeof(path))
			continue;
		r = knob_restore(reset->tracefs, path, "");
		if (r != -ENOTDIR)
			ftrace_reset_note(reset, r, path);
	}
}

static void reset_group(struct reset *reset, const char *events, const char *name)
{
	char path[PATH_SIZE];

	if (snprintf(path, sizeof(path), "%s/%s", events, name) < (int)sizeof(path))
		each_entry(reset, path, reset_event);
}

static void reset_instance(struct reset *reset, const char *instances, const char *name)
{
	ftrace_reset_note(reset, instance_dir_remove(reset->tracefs, name, BUSY_MS), name);
}

/* A mask with a bit for each CPU, in groups of 32. */
static void reset_cpus(struct reset *reset)
{
	_cleanup_strbuf_ struct strbuf mask = { 0 };
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	if (cpus < 1)
		return;
	strbuf_addf(&mask, "%x", cpus % 32 ? (1u << cpus % 32) - 1 : ~0u);
	for (long left = (cpus - 1) / 32; left > 0; left--)
		strbuf_adds(&mask, ",ffffffff");
	ftrace_reset_note(reset,
			  mask.err ? mask.err :
				     knob_restore(reset->tracefs, "tracing_cpumask",
						  strbuf_str(&mask)),
			  "tracing_cpumask");
}

int ftrace_reset(int tracefs, struct fathom_err *err)
{
	struct reset reset = { .tracefs = tracefs, .err = err };

	ftrace_reset_note(&reset, file_write(tracefs, "tracing_on", O_TRUNC, "0"), "tracing_on");
	each_entry(&reset, "instances", reset_instance);
	for (size_t i = 0; i < ARRAY_SIZE(defaults); i++)
		ftrace_reset_note(&reset,
				  knob_restore(tracefs, defaults[i].file, defaults[i].value),
				  defaults[i].file);
	each_entry(&reset, "events", reset_group);
	reset_cpus(&reset);
	for (size_t i = 0; i < ARRAY_SIZE(emptied); i++)
		ftrace_reset_note(&reset, file_write_all(tracefs, emptied[i], O_TRUNC, ""),
				  emptied[i]);
	ftrace_reset_note(&reset, file_write(tracefs, "tracing_on", O_TRUNC, "1"), "tracing_on");
	return reset.first;
}
