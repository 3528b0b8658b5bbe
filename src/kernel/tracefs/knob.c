/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads and restores each kind of knob as its file requires: single values here, lists of lines in
 * knob-lines.c. Rejects paths of unknown kind.
 */
#include "kernel/tracefs/knob.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "base/str.h"
#include "kernel/tracefs/knob-kind.h"
#include "kernel/tracefs/knob-lines.h"

static const char *const sysctls[] = {
	"kernel/ftrace_dump_on_oops", "kernel/ftrace_enabled",	     "kernel/kptr_restrict",
	"kernel/perf_event_paranoid", "kernel/stack_tracer_enabled", "kernel/traceoff_on_warning",
	"kernel/tracepoint_printk",
};

/* Reads the whole file without the white space at its end. */
static int read_trimmed(int dir, const char *file, struct strbuf *value)
{
	size_t start = value->len;
	int r = file_read(dir, file, value);

	if (r < 0)
		return r;
	while (value->len > start && isspace((unsigned char)value->s[value->len - 1]))
		value->s[--value->len] = '\0';
	return 0;
}

static void keep_only(struct strbuf *value, size_t start, const char *from, size_t len)
{
	memmove(value->s + start, from, len);
	value->len = start + len;
	value->s[value->len] = '\0';
}

static int choice_read(int dir, const char *file, struct strbuf *value)
{
	size_t start = value->len;
	const char *open, *close;
	int r = read_trimmed(dir, file, value);

	if (r < 0)
		return r;
	open = strchr(strbuf_str(value) + start, '[');
	close = open ? strchr(open, ']') : NULL;
	/* A file that lists a single word may omit the brackets. */
	if (close)
		keep_only(value, start, open + 1, (size_t)(close - open - 1));
	return 0;
}

static int size_read(int dir, const char *file, struct strbuf *value)
{
	static const char expanded[] = " (expanded: ";
	size_t start = value->len;
	const char *at;
	int r = read_trimmed(dir, file, value);

	if (r < 0)
		return r;
	if (str_eq(strbuf_str(value) + start, "X"))
		return -EUCLEAN;
	/*
	 * Not expanded yet: what matters is its future size. Old kernels print this for expanded
	 * buffers of instances as well, which does no harm.
	 */
	at = strstr(strbuf_str(value) + start, expanded);
	if (at) {
		at += strlen(expanded);
		keep_only(value, start, at, strspn(at, "0123456789"));
	}
	return 0;
}

static int pids_read(int dir, const char *file, struct strbuf *value)
{
	size_t start = value->len;
	int r = read_trimmed(dir, file, value);

	if (r == 0 && str_eq(strbuf_str(value) + start, "no pid"))
		keep_only(value, start, value->s, 0);
	return r;
}

/*
 * The '*' of "0*" and "1*" marks another user of the event, and is not part of the value.
 */
static int event_read(int dir, const char *file, struct strbuf *value)
{
	size_t start = value->len;
	int r = read_trimmed(dir, file, value);

	if (r == 0 && value->len > start && value->s[value->len - 1] == '*')
		value->s[--value->len] = '\0';
	return r;
}

/* After a filter was rejected, the file shows it with a caret below, and no filter is set. */
static int filter_read(int dir, const char *file, struct strbuf *value)
{
	size_t start = value->len;
	int r = read_trimmed(dir, file, value);

	if (r == 0 && value->len > start &&
	    (str_eq(value->s + start, "none") || strchr(value->s + start, '\n')))
		keep_only(value, start, value->s, 0);
	return r;
}

static int snapshot_read(int dir, const char *file, struct strbuf *value)
{
	_cleanup_close_ int fd = openat(dir, file, O_RDONLY | O_CLOEXEC);
	char head[1024];
	ssize_t n;

	if (fd < 0)
		return negative_errno();
	n = read(fd, head, sizeof(head) - 1);
	if (n < 0)
		return negative_errno();
	head[n] = '\0';
	strbuf_addc(value, strstr(head, "Snapshot is freed") || str_eq(head, "0") ? '0' : '1');
	return value->err;
}

int knob_read(int dir, const char *file, struct strbuf *value)
{
	switch (knob_kind_of(file)) {
	case KNOB_WORD:
		return read_trimmed(dir, file, value);
	case KNOB_CHOICE:
		return choice_read(dir, file, value);
	case KNOB_SIZE:
		return size_read(dir, file, value);
	case KNOB_PIDS:
		return pids_read(dir, file, value);
	case KNOB_FUNCTIONS:
		return knob_functions_read(dir, file, value);
	case KNOB_GRAPH:
		return knob_graph_read(dir, file, value);
	case KNOB_EVENT:
		return event_read(dir, file, value);
	case KNOB_EVENTS:
		return knob_events_on_read(dir, file, value);
	case KNOB_FILTER:
		return filter_read(dir, file, value);
	case KNOB_TRIGGERS:
		return knob_triggers_read(dir, file, value);
	case KNOB_SNAPSHOT:
		return snapshot_read(dir, file, value);
	case KNOB_GROUP_FILTER:
	case KNOB_NONE:
		break;
	}
	return -EINVAL;
}

/*
 * A PID list whose tasks have all exited reads as empty, but while it exists, no task is traced. So
 * clear it even if it looks empty.
 */
static int no_pids_restore(int dir, const char *file)
{
	_cleanup_strbuf_ struct strbuf now = { 0 };
	int r = read_trimmed(dir, file, &now);

	if (r < 0 || str_eq(strbuf_str(&now), "no pid"))
		return r;
	r = file_write_all(dir, file, O_TRUNC, "");
	return r < 0 ? r : now.len > 0;
}

/* For kinds with a single value: writes it unless it is the current one. */
static int value_restore(int dir, const char *file, enum knob_kind kind, const char *value)
{
	_cleanup_strbuf_ struct strbuf now = { 0 };
	int r = knob_read(dir, file, &now);

	if (r == 0 && str_eq(strbuf_str(&now), value))
		return 0;
	if (r < 0 && r != -EUCLEAN)
		return r;
	if (kind == KNOB_PIDS)
		return file_write_all(dir, file, O_TRUNC, value) ?: 1;
	if (kind == KNOB_FILTER && !*value)
		value = "0";
	return file_write(dir, file, O_TRUNC, value) ?: 1;
}

int knob_restore(int dir, const char *file, const char *value)
{
	enum knob_kind kind = knob_kind_of(file);

	switch (kind) {
	case KNOB_FUNCTIONS:
		return knob_functions_restore(dir, file, value);
	case KNOB_GRAPH:
		return knob_graph_restore(dir, file, value);
	case KNOB_EVENTS:
		return knob_events_on_restore(dir, file, value);
	case KNOB_TRIGGERS:
		return knob_triggers_restore(dir, file, value);
	case KNOB_SNAPSHOT:
		/* A pre-existing snapshot may contain data that another user wants to keep. */
		return str_eq(value, "0") ? value_restore(dir, file, kind, value) : 0;
	case KNOB_GROUP_FILTER:
	case KNOB_NONE:
		return -EINVAL;
	case KNOB_PIDS:
		if (!*value)
			return no_pids_restore(dir, file);
		__attribute__((fallthrough));
	default:
		return value_restore(dir, file, kind, value);
	}
}

int knob_write(int dir, const char *file, enum knob_mode mode, const char *value)
{
	int flags = mode == KNOB_ADD ? O_APPEND : O_TRUNC;
	_cleanup_free_ char *lines = NULL;

	switch (knob_kind_of(file)) {
	case KNOB_PIDS:
	case KNOB_FUNCTIONS:
	case KNOB_GRAPH:
	case KNOB_TRIGGERS:
	case KNOB_EVENTS:
		break;
	case KNOB_NONE:
		return -EINVAL;
	default:
		return file_write(dir, file, O_TRUNC, value);
	}
	if (!*value)
		return file_write_all(dir, file, flags, "");
	/* Without the newline, the kernel parses the last word on close, whose errors are lost. */
	lines = mem_printf("%s\n", value);
	if (!lines)
		return -ENOMEM;
	return file_write_all(dir, file, flags, lines);
}

bool sysctl_is_known(const char *file)
{
	for (size_t i = 0; i < ARRAY_SIZE(sysctls); i++)
		if (str_eq(sysctls[i], file))
			return true;
	return false;
}

int sysctl_read(int proc_sys, const char *file, struct strbuf *value)
{
	return sysctl_is_known(file) ? read_trimmed(proc_sys, file, value) : -EINVAL;
}

int sysctl_restore(int proc_sys, const char *file, const char *value)
{
	_cleanup_strbuf_ struct strbuf now = { 0 };
	int r = sysctl_read(proc_sys, file, &now);

	if (r < 0)
		return r;
	if (str_eq(strbuf_str(&now), value))
		return 0;
	return file_write(proc_sys, file, O_TRUNC, value) ?: 1;
}
