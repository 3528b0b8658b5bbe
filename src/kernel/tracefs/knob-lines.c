/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Restores lists by difference: removes new lines, adds missing ones, and leaves unchanged ones
 * alone, so that triggers of other users keep their counts.
 */
#include "kernel/tracefs/knob-lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "base/str.h"
#include "kernel/tracefs/knob-kind.h"

/* The longest line that the kernel accepts, whose buffers are a page. */
#define LINE_MAX_SIZE 4096

struct lines {
	char *text; /* the lines point into it */
	char **list;
	size_t n, cap;
};

static void lines_done(struct lines *lines)
{
	free(lines->list);
	free(lines->text);
}

#define _cleanup_lines_ _cleanup_(lines_done)

/* Adds the lines of @text for which @wanted (NULL: all) returns true. */
static int lines_split(struct lines *lines, const char *text, bool (*wanted)(const char *line))
{
	char *rest;

	lines->text = rest = mem_strdup(text);
	if (!rest)
		return -ENOMEM;
	for (char *line; (line = str_next_line(&rest));) {
		if (!*line || (wanted && !wanted(line)))
			continue;
		if (mem_reserve(&lines->list, &lines->cap, lines->n + 1, sizeof(char *)) < 0)
			return -ENOMEM;
		lines->list[lines->n++] = line;
	}
	return 0;
}

/*
 * Finds the remaining count of a trigger or command, ":count=3" or ":unlimited", before its
 * condition or at the end of the line. Returns the end of the line, and *@ret_len 0, if there is
 * none.
 */
static const char *find_count(const char *line, size_t *ret_len)
{
	const char *end = strstr(line, " if "), *at = end ? end : line + strlen(line);

	end = at;
	while (at > line && at[-1] != ':' && at[-1] != ' ')
		at--;
	*ret_len = 0;
	if (at > line && at[-1] == ':' && (str_after(at, "count=") || str_after(at, "unlimited"))) {
		*ret_len = (size_t)(end - at) + 1;
		return at - 1;
	}
	return end;
}

/* Returns the state at the end of a histogram trigger, or NULL. */
static const char *find_state(const char *line)
{
	const char *at = strrchr(line, '[');

	if (!at || at == line || at[-1] != ' ')
		return NULL;
	return str_eq(at, "[active]") || str_eq(at, "[paused]") ? at - 1 : NULL;
}

/* The identity of a line: all of it except for its remaining count and its state. */
struct line_key {
	const char *head, *tail;
	size_t head_len, tail_len;
	int counts; /* 0: no count, 1: unlimited, 2: a number */
};

static struct line_key line_key(const char *line)
{
	size_t count_len;
	const char *count = find_count(line, &count_len), *tail = count + count_len;
	const char *state = find_state(line);
	const char *head_end = state && state < count ? state : count;

	return (struct line_key){
		.head = line,
		.head_len = (size_t)(head_end - line),
		.tail = tail,
		.tail_len = state && state >= tail ? (size_t)(state - tail) : strlen(tail),
		.counts = !count_len		      ? 0 :
			  str_after(count, ":count=") ? 2 :
							1,
	};
}

static int compare_bytes(const char *a, size_t a_len, const char *b, size_t b_len)
{
	int r = memcmp(a, b, a_len < b_len ? a_len : b_len);

	return r ? r : (a_len > b_len) - (a_len < b_len);
}

static int line_compare(const char *a, const char *b)
{
	struct line_key x = line_key(a), y = line_key(b);
	int r = compare_bytes(x.head, x.head_len, y.head, y.head_len);

	if (r == 0)
		r = x.counts - y.counts;
	return r ? r : compare_bytes(x.tail, x.tail_len, y.tail, y.tail_len);
}

static int knob_lines_compare(const void *a, const void *b)
{
	return line_compare(*(char *const *)a, *(char *const *)b);
}

static bool lines_have(const struct lines *sorted, char *line)
{
	return sorted->n &&
	       bsearch(&line, sorted->list, sorted->n, sizeof(char *), knob_lines_compare) != NULL;
}

static void lines_sort(struct lines *lines)
{
	if (lines->n)
		qsort(lines->list, lines->n, sizeof(char *), knob_lines_compare);
}

/* Adds or removes a line. Returns 0 or a negative errno. */
typedef int (*change_fn)(int dir, const char *file, const char *line, bool add);

/*
 * Turns @now into @before, removing lines first. Lines that the kernel no longer accepts, for
 * example because a module was unloaded, are skipped. Returns 1 if anything changed, 0 or a
 * negative errno.
 */
static int lines_change(int dir, const char *file, struct lines *now, struct lines *before,
			change_fn change)
{
	const struct {
		struct lines *from, *other;
		bool add;
	} steps[] = { { now, before, false }, { before, now, true } };
	int changed = 0, r;

	lines_sort(now);
	lines_sort(before);
	for (size_t s = 0; s < ARRAY_SIZE(steps); s++) {
		for (size_t i = 0; i < steps[s].from->n; i++) {
			char *line = steps[s].from->list[i];

			if (lines_have(steps[s].other, line))
				continue;
			r = change(dir, file, line, steps[s].add);
			if (r < 0 && r != -ENOENT && !(steps[s].add && r == -EINVAL))
				return r;
			changed = 1;
		}
	}
	return changed;
}

static int read_lines(int dir, const char *file, struct strbuf *value,
		      bool (*wanted)(const char *line))
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	_cleanup_lines_ struct lines lines = { 0 };
	int r = file_read(dir, file, &text);

	if (r < 0)
		return r;
	r = lines_split(&lines, strbuf_str(&text), wanted);
	if (r < 0)
		return r;
	for (size_t i = 0; i < lines.n; i++) {
		strbuf_adds(value, lines.list[i]);
		strbuf_addc(value, '\n');
	}
	return value->err;
}

static bool is_no_remark(const char *line)
{
	return *line != '#';
}

/* Functions. */

/* Matches "FUNCTION:COMMAND:...", but not "FUNCTION" and "FUNCTION:mod:MODULE". */
static bool knob_lines_is_command(const char *line)
{
	const char *colon = strchr(line, ':');

	return colon && !str_after(colon, ":mod:");
}

static bool knob_lines_is_function(const char *line)
{
	return !knob_lines_is_command(line);
}

int knob_functions_read(int dir, const char *file, struct strbuf *value)
{
	return read_lines(dir, file, value, is_no_remark);
}

static int change_command(int dir, const char *file, const char *line, bool add)
{
	char text[LINE_MAX_SIZE];
	size_t len;
	const char *count = find_count(line, &len), *left = str_after(count, ":count=");

	/*
	 * A command with a count is removed with any count; one without a count is removed without
	 * one.
	 */
	if (snprintf(text, sizeof(text), "%s%.*s%s%s\n", add ? "" : "!", (int)(count - line), line,
		     left ? ":" : "", left ? left : "") >= (int)sizeof(text))
		return -EINVAL;
	return file_write_all(dir, file, O_APPEND, text);
}

/*
 * The kernel prints "name [module]", and accepts "name:mod:module" or, in graph filters, no module.
 */
static int write_function(int fd, const char *line, bool modules)
{
	char text[LINE_MAX_SIZE];
	const char *module = strstr(line, " [");
	size_t name = module ? (size_t)(module - line) : strlen(line), len, done = 0;
	int n;

	if (module && modules)
		n = snprintf(text, sizeof(text), "%.*s:mod:%.*s\n", (int)name, line,
			     (int)strcspn(module + 2, "]"), module + 2);
	else
		n = snprintf(text, sizeof(text), "%.*s\n", (int)name, line);
	if (n >= (int)sizeof(text))
		return -EINVAL;
	len = (size_t)n;
	while (done < len) {
		ssize_t put = write(fd, text + done, len - done);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return negative_errno();
		if (put == 0)
			return -EIO;
		done += (size_t)put;
	}
	return 0;
}

/* The kernel applies the list when the file is closed. */
static int knob_lines_write_functions(int dir, const char *file, const struct lines *lines,
				      bool modules)
{
	_cleanup_close_ int fd = openat(dir, file, O_WRONLY | O_TRUNC | O_CLOEXEC);

	if (fd < 0)
		return negative_errno();
	for (size_t i = 0; i < lines->n; i++) {
		int r = write_function(fd, lines->list[i], modules);

		if (r < 0 && r != -EINVAL && r != -ENOENT)
			return r;
	}
	return 0;
}

static bool lines_equal(struct lines *a, struct lines *b)
{
	lines_sort(a);
	lines_sort(b);
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (!str_eq(a->list[i], b->list[i]))
			return false;
	return true;
}

static int names_restore(int dir, const char *file, const char *now, const char *value,
			 bool modules)
{
	_cleanup_lines_ struct lines is = { 0 }, was = { 0 };
	int r = lines_split(&is, now, knob_lines_is_function) ?:
			lines_split(&was, value, knob_lines_is_function);

	if (r < 0)
		return r;
	if (lines_equal(&is, &was))
		return 0;
	return knob_lines_write_functions(dir, file, &was, modules) ?: 1;
}

int knob_functions_restore(int dir, const char *file, const char *value)
{
	_cleanup_strbuf_ struct strbuf now = { 0 };
	_cleanup_lines_ struct lines is = { 0 }, was = { 0 };
	int r = knob_functions_read(dir, file, &now), names;

	if (r < 0)
		return r;
	names = names_restore(dir, file, strbuf_str(&now), value, true);
	if (names < 0)
		return names;
	r = lines_split(&is, strbuf_str(&now), knob_lines_is_command) ?:
		    lines_split(&was, value, knob_lines_is_command);
	if (r < 0)
		return r;
	r = lines_change(dir, file, &is, &was, change_command);
	return r < 0 ? r : names | r;
}

int knob_graph_read(int dir, const char *file, struct strbuf *value)
{
	return read_lines(dir, file, value, is_no_remark);
}

int knob_graph_restore(int dir, const char *file, const char *value)
{
	_cleanup_strbuf_ struct strbuf now = { 0 };
	int r = knob_graph_read(dir, file, &now);

	return r < 0 ? r : names_restore(dir, file, strbuf_str(&now), value, false);
}

/* Enabled events. */

/* "sched:" for "events/sched/enable", "" for all events; false if the group name is too long. */
static bool group_prefix(const char *file, char *prefix, size_t size)
{
	const char *group = str_after(file, "events/");
	size_t len = group && strchr(group, '/') ? strcspn(group, "/") : 0;

	return snprintf(prefix, size, "%.*s%s", (int)len, len ? group : "", len ? ":" : "") <
	       (int)size;
}

/* The file that enables the event of a line "GROUP:EVENT". Returns false for other lines. */
static bool event_file(const char *line, char path[static LINE_MAX_SIZE])
{
	const char *colon = strchr(line, ':');

	return colon && !strchr(colon + 1, ':') &&
	       snprintf(path, LINE_MAX_SIZE, "events/%.*s/%s/enable", (int)(colon - line), line,
			colon + 1) < LINE_MAX_SIZE &&
	       knob_kind_of(path) == KNOB_EVENT;
}

/* set_event also lists events that only a trigger uses, which read "0*". */
static bool is_really_on(int dir, const char *line)
{
	char path[LINE_MAX_SIZE], state[8];

	return event_file(line, path) &&
	       (file_read_line(dir, path, state, sizeof(state)) < 0 || state[0] != '0');
}

int knob_events_on_read(int dir, const char *file, struct strbuf *value)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	_cleanup_lines_ struct lines lines = { 0 };
	char prefix[256];
	int r;

	if (!group_prefix(file, prefix, sizeof(prefix)))
		return -EINVAL;
	r = file_read(dir, "set_event", &text);
	if (r == 0)
		r = lines_split(&lines, strbuf_str(&text), is_no_remark);
	if (r < 0)
		return r;
	for (size_t i = 0; i < lines.n; i++) {
		const char *line = lines.list[i];

		if (!str_after(line, prefix) || !is_really_on(dir, line))
			continue;
		strbuf_adds(value, line);
		strbuf_addc(value, '\n');
	}
	return value->err;
}

static int change_event(int dir, const char *file, const char *line, bool add)
{
	char path[LINE_MAX_SIZE];

	if (!event_file(line, path))
		return -EINVAL;
	return file_write(dir, path, O_TRUNC, add ? "1" : "0");
}

int knob_events_on_restore(int dir, const char *file, const char *value)
{
	_cleanup_strbuf_ struct strbuf now = { 0 };
	_cleanup_lines_ struct lines is = { 0 }, was = { 0 };
	int r = knob_events_on_read(dir, file, &now);

	if (r < 0)
		return r;
	if (str_eq(strbuf_str(&now), value))
		return 0;
	/*
	 * Disabling all events takes one write instead of one for each; opening set_event empties
	 * it.
	 */
	if (!*value && str_eq(file, "set_event"))
		return file_write_all(dir, file, O_TRUNC, "") ?: 1;
	if (!*value)
		return file_write(dir, file, O_TRUNC, "0") ?: 1;
	r = lines_split(&is, strbuf_str(&now), NULL) ?: lines_split(&was, value, NULL);
	if (r < 0)
		return r;
	return lines_change(dir, file, &is, &was, change_event);
}

/* Triggers. */

int knob_triggers_read(int dir, const char *file, struct strbuf *value)
{
	return read_lines(dir, file, value, is_no_remark);
}

static int change_trigger(int dir, const char *file, const char *line, bool add)
{
	const char *state = find_state(line), *count, *left;
	char bare[LINE_MAX_SIZE], text[LINE_MAX_SIZE];
	size_t len;

	if (snprintf(bare, sizeof(bare), "%.*s", state ? (int)(state - line) : (int)strlen(line),
		     line) >= (int)sizeof(bare))
		return -EINVAL;
	count = find_count(bare, &len);
	left = str_after(count, ":count=");
	if (snprintf(text, sizeof(text), "%s%.*s%s%.*s%s%s\n", add ? "" : "!", (int)(count - bare),
		     bare, left ? ":" : "", left ? (int)(len - strlen(":count=")) : 0,
		     left ? left : "", count + len,
		     add && state && str_eq(state, " [paused]") ? ":pause" : "") >=
	    (int)sizeof(text))
		return -EINVAL;
	return file_write_all(dir, file, O_APPEND, text);
}

int knob_triggers_restore(int dir, const char *file, const char *value)
{
	_cleanup_strbuf_ struct strbuf now = { 0 };
	_cleanup_lines_ struct lines is = { 0 }, was = { 0 };
	int r = knob_triggers_read(dir, file, &now);

	if (r < 0)
		return r;
	r = lines_split(&is, strbuf_str(&now), NULL) ?: lines_split(&was, value, NULL);
	if (r < 0)
		return r;
	return lines_change(dir, file, &is, &was, change_trigger);
}
