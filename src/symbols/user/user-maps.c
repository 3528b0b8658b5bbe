/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "symbols/user/user-maps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/str.h"

/* Limits how many generations of forks are followed. */
#define FORKS_MAX 64
/*
 * Events of several CPUs are reported one CPU after the other, so this many events can precede an
 * earlier one.
 */
#define LATE_MAX 256
/* Shorter sequences of single mappings are searched linearly. */
#define ROW_MIN 8

enum change {
	CHANGE_ALL, /* all mappings */
	CHANGE_ONE, /* one more mapping */
	CHANGE_SOME, /* several more, without overlap, each with its own time */
	CHANGE_EXEC, /* none remain */
	CHANGE_FORK, /* those of another process at this time */
	CHANGE_THREAD, /* those of another process, from now on */
};

struct user_change {
	enum change kind;
	int32_t parent; /* for CHANGE_FORK and CHANGE_THREAD */
	uint64_t time;
	const struct user_mapping *mappings; /* sorted by start */
	size_t n;
};

struct user_process {
	struct user_change *changes; /* sorted by time */
	size_t n, cap;
};

void user_maps_done(struct user_maps *maps)
{
	for (size_t i = 0; i < maps->n; i++)
		free(maps->processes[i].changes);
	free(maps->processes);
	u64_map_done(&maps->pids);
	u64_map_done(&maps->origin_numbers);
	free(maps->origins);
	arena_done(&maps->arena);
	*maps = (struct user_maps){ 0 };
}

static int add_change(struct user_maps *maps, int32_t pid, const struct user_change *change)
{
	struct user_process *process = u64_map_element(&maps->pids, (uint32_t)pid, &maps->processes,
						       &maps->n, &maps->cap, sizeof(*process));
	size_t at;

	if (!process || mem_reserve(&process->changes, &process->cap, process->n + 1,
				    sizeof(process->changes[0])) < 0)
		return -ENOMEM;
	for (at = process->n++; change->time && at && process->n - at <= LATE_MAX &&
				process->changes[at - 1].time > change->time;
	     at--)
		process->changes[at] = process->changes[at - 1];
	process->changes[at] = *change;
	return 0;
}

/* A text being parsed. */
struct reader {
	const char *p, *end;
};

static bool user_maps_read_hex(struct reader *r, uint64_t *ret_value, char terminator)
{
	if (!str_take_hex(&r->p, r->end, ret_value) || r->p == r->end || *r->p != terminator)
		return false;
	r->p++;
	return true;
}

const char *user_maps_path(struct user_maps *maps, const char *s, size_t len, bool *ret_deleted)
{
	static const char deleted[] = " (deleted)";
	size_t tail = sizeof(deleted) - 1;

	*ret_deleted = len > tail && memcmp(s + len - tail, deleted, tail) == 0;
	if (*ret_deleted)
		len -= tail;
	/* A NUL would truncate the name to that of another file. */
	if (memchr(s, '\0', len))
		len = 0;
	return arena_strndup(&maps->arena, s, len);
}

/* Takes the rest of the line. */
static int user_maps_set_path(struct user_maps *maps, struct user_mapping *mapping, const char *s,
			      size_t len)
{
	mapping->path = user_maps_path(maps, s, len, &mapping->deleted);
	return mapping->path ? 0 : -ENOMEM;
}

/*
 * Parses "start-end rwxp offset dev inode path". Returns 1 for a mapping, 0 for any other line.
 */
static int parse_proc_line(struct user_maps *maps, struct reader line, struct user_mapping *mapping)
{
	struct reader r = line;
	int r_path;

	if (!user_maps_read_hex(&r, &mapping->start, '-') ||
	    !user_maps_read_hex(&r, &mapping->end, ' ') || r.end - r.p < 5 || r.p[4] != ' ')
		return 0;
	mapping->executable = r.p[2] == 'x';
	r.p += 5;
	if (!user_maps_read_hex(&r, &mapping->offset, ' '))
		return 0;
	/* Device and inode. */
	for (int word = 0; word < 2; word++) {
		while (r.p < r.end && *r.p != ' ')
			r.p++;
		while (r.p < r.end && *r.p == ' ')
			r.p++;
	}
	r_path = user_maps_set_path(maps, mapping, r.p, (size_t)(r.end - r.p));
	return r_path < 0 ? r_path : 1;
}

/* Parses "start end path", for all parts of a file. */
static int parse_option_line(struct user_maps *maps, struct reader line,
			     struct user_mapping *mapping)
{
	struct reader r = line;
	int r_path;

	if (!user_maps_read_hex(&r, &mapping->start, ' ') ||
	    !user_maps_read_hex(&r, &mapping->end, ' '))
		return 0;
	mapping->offset = USER_OFFSET_UNKNOWN;
	mapping->executable = true;
	r_path = user_maps_set_path(maps, mapping, r.p, (size_t)(r.end - r.p));
	return r_path < 0 ? r_path : 1;
}

static int user_maps_compare_starts(const void *a, const void *b)
{
	const struct user_mapping *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static bool user_maps_next_line(struct reader *text, struct reader *ret_line)
{
	const char *eol;

	if (text->p >= text->end)
		return false;
	eol = memchr(text->p, '\n', (size_t)(text->end - text->p));
	*ret_line = (struct reader){ text->p, eol ? eol : text->end };
	text->p = eol ? eol + 1 : text->end;
	return true;
}

int user_maps_add_all(struct user_maps *maps, int32_t pid, uint64_t time,
		      struct user_mapping *mappings, size_t n)
{
	struct user_change change = { CHANGE_ALL, .time = time, .mappings = mappings, .n = n };

	if (n)
		qsort(mappings, n, sizeof(*mappings), user_maps_compare_starts);
	return add_change(maps, pid, &change);
}

static int
user_maps_add_lines(struct user_maps *maps, int32_t pid, uint64_t time, struct reader text,
		    int (*parse)(struct user_maps *, struct reader, struct user_mapping *))
{
	struct user_mapping *mappings;
	struct reader all = text, line;
	size_t lines = 0, n = 0;

	while (user_maps_next_line(&all, &line))
		lines++;
	mappings = arena_zalloc(&maps->arena, lines + 1, sizeof(*mappings));
	if (!mappings)
		return -ENOMEM;
	while (user_maps_next_line(&text, &line)) {
		int r = parse(maps, line, &mappings[n]);

		if (r < 0)
			return r;
		if (r > 0 && mappings[n].start < mappings[n].end)
			n++;
	}
	return user_maps_add_all(maps, pid, time, mappings, n);
}

int user_maps_add_text(struct user_maps *maps, int32_t pid, uint64_t time, const char *text,
		       size_t len)
{
	return user_maps_add_lines(maps, pid, time, (struct reader){ text, text + len },
				   parse_proc_line);
}

int user_maps_add_option(struct user_maps *maps, uint64_t time, const char *text, size_t len)
{
	struct reader r = { text, text + len }, head;
	uint64_t pid;

	/* Some writers include the NUL in the size. */
	while (r.end > r.p && r.end[-1] == '\0')
		r.end--;
	if (!user_maps_next_line(&r, &head) || !user_maps_read_hex(&head, &pid, ' ') ||
	    pid > INT32_MAX)
		return 0;
	return user_maps_add_lines(maps, (int32_t)pid, time, r, parse_option_line);
}

int user_maps_add_mapping(struct user_maps *maps, int32_t pid, uint64_t time,
			  const struct user_mapping *mapping)
{
	struct user_change change = { .kind = CHANGE_ONE, .time = time, .n = 1 };
	struct user_mapping *own = arena_alloc(&maps->arena, sizeof(*own));

	if (!own)
		return -ENOMEM;
	*own = *mapping;
	/* Paths of files with an origin are in the arena already. */
	own->path = mapping->origin ? mapping->path : arena_strdup(&maps->arena, mapping->path);
	change.mappings = own;
	return own->path ? add_change(maps, pid, &change) : -ENOMEM;
}

int user_maps_add_exec(struct user_maps *maps, int32_t pid, uint64_t time)
{
	return add_change(maps, pid, &(struct user_change){ .kind = CHANGE_EXEC, .time = time });
}

int user_maps_add_fork(struct user_maps *maps, int32_t parent, int32_t child, uint64_t time)
{
	return add_change(
		maps, child,
		&(struct user_change){ .kind = CHANGE_FORK, .time = time, .parent = parent });
}

int user_maps_add_thread(struct user_maps *maps, int32_t pid, int32_t thread, uint64_t time)
{
	return add_change(
		maps, thread,
		&(struct user_change){ .kind = CHANGE_THREAD, .time = time, .parent = pid });
}

/*
 * Merges the sequence of single mappings that begins at @first into one change, unless they
 * overlap.
 */
static int merge_row(struct user_maps *maps, struct user_change *first, size_t n, bool *ret_merged)
{
	struct user_mapping *row = arena_zalloc(&maps->arena, n, sizeof(*row));

	if (!row)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		row[i] = *first[i].mappings;
		row[i].since = first[i].time;
	}
	qsort(row, n, sizeof(*row), user_maps_compare_starts);
	*ret_merged = true;
	for (size_t i = 1; i < n; i++)
		if (row[i].start < row[i - 1].end)
			*ret_merged = false;
	if (*ret_merged) {
		first->kind = CHANGE_SOME;
		first->mappings = row;
		first->n = n;
	}
	return 0;
}

static int seal_process(struct user_maps *maps, struct user_process *process)
{
	size_t n = 0, i = 0;

	while (i < process->n) {
		size_t end = i;
		bool merged = false;

		while (end < process->n && process->changes[end].kind == CHANGE_ONE)
			end++;
		if (end - i >= ROW_MIN &&
		    merge_row(maps, &process->changes[i], end - i, &merged) < 0)
			return -ENOMEM;
		if (merged) {
			process->changes[n++] = process->changes[i];
			i = end;
			continue;
		}
		for (end = end > i ? end : i + 1; i < end; i++)
			process->changes[n++] = process->changes[i];
	}
	process->n = n;
	return 0;
}

int user_maps_seal(struct user_maps *maps)
{
	int r = 0;

	for (size_t i = 0; i < maps->n && r == 0; i++)
		r = seal_process(maps, &maps->processes[i]);
	return r;
}

static const struct user_mapping *user_maps_find_in(const struct user_change *change,
						    uint64_t address)
{
	size_t low = order_count_upto(change->mappings, change->n, sizeof(*change->mappings),
				      offsetof(struct user_mapping, start), address);

	if (!low || address >= change->mappings[low - 1].end)
		return NULL;
	return &change->mappings[low - 1];
}

/* Returns the number of changes until @time. */
static size_t changes_until(const struct user_process *process, uint64_t time)
{
	return order_count_upto(process->changes, process->n, sizeof(*process->changes),
				offsetof(struct user_change, time), time);
}

/*
 * Searches the changes of one process. Returns true if the search must continue in its parent, as
 * of *@time.
 */
static bool find_own(const struct user_process *process, uint64_t *time, uint64_t address,
		     const struct user_mapping **found, bool *known, int32_t *parent)
{
	const struct user_mapping *later = NULL;
	size_t now = changes_until(process, *time), i;
	bool forked = false;

	for (i = now; i-- > 0;) {
		const struct user_change *change = &process->changes[i];

		if (change->kind == CHANGE_EXEC)
			break;
		if (change->kind == CHANGE_FORK || change->kind == CHANGE_THREAD) {
			*parent = change->parent;
			if (change->kind == CHANGE_FORK)
				*time = change->time;
			forked = true;
			break;
		}
		*known = true;
		*found = user_maps_find_in(change, address);
		if (*found && (*found)->since > *time) {
			later = *found;
			*found = NULL;
		}
		if (*found)
			return false;
		if (change->kind == CHANGE_ALL)
			break;
	}
	if (later && !forked) {
		*found = later;
		return false;
	}
	if (i < now && process->changes[i].kind == CHANGE_ALL)
		return false;
	/* Until the next exec, later information applies as well. */
	for (i = now; i < process->n && process->changes[i].kind != CHANGE_EXEC; i++) {
		if (process->changes[i].kind == CHANGE_FORK ||
		    process->changes[i].kind == CHANGE_THREAD)
			break;
		*known = true;
		*found = user_maps_find_in(&process->changes[i], address);
		if (*found)
			return false;
	}
	return forked;
}

const struct user_mapping *user_maps_find(const struct user_maps *maps, int32_t pid, uint64_t time,
					  uint64_t address, bool *ret_known)
{
	const struct user_mapping *found = NULL;

	*ret_known = false;
	for (int i = 0; i < FORKS_MAX; i++) {
		uint32_t place = u64_map_get(&maps->pids, (uint32_t)pid);

		if (place == U64_MAP_NONE ||
		    !find_own(&maps->processes[place], &time, address, &found, ret_known, &pid))
			return found;
	}
	return NULL;
}
