/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The text in which the recorder logs the mappings of processes, described in
 * record/unwind/map-log.h.
 */
#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "symbols/user/user-maps.h"

struct log_line {
	const char *p, *end;
};

/* Takes the hexadecimal number at the start, and one blank. */
static bool user_maps_log_take(struct log_line *line, uint64_t *ret_value)
{
	if (!str_take_hex(&line->p, line->end, ret_value) ||
	    (line->p < line->end && *line->p != ' '))
		return false;
	if (line->p < line->end)
		line->p++;
	return true;
}

static bool user_maps_log_take_pid(struct log_line *line, int32_t *ret_pid)
{
	uint64_t value;

	if (!user_maps_log_take(line, &value) || value > INT32_MAX)
		return false;
	*ret_pid = (int32_t)value;
	return true;
}

static bool take_time(struct log_line *line, uint64_t shift, uint64_t *ret_time)
{
	if (!user_maps_log_take(line, ret_time))
		return false;
	*ret_time += *ret_time ? shift : 0;
	return true;
}

static void take_build_id(struct log_line *line, struct user_origin *origin)
{
	while (line->end - line->p >= 2 && origin->build_id_len < sizeof(origin->build_id)) {
		struct log_line byte = { line->p, line->p + 2 };
		uint64_t value;

		if (!user_maps_log_take(&byte, &value) || byte.p != line->p + 2)
			break;
		origin->build_id[origin->build_id_len++] = (uint8_t)value;
		line->p += 2;
	}
	while (line->p < line->end && *line->p++ != ' ')
		;
}

/* "FILE SIZE MTIME COPY BUILD-ID PATH" */
static int user_maps_log_add_file(struct user_maps *maps, struct log_line line)
{
	struct user_origin *origin;
	struct user_origin_place *place;
	uint64_t number, size, mtime, copy;

	if (!user_maps_log_take(&line, &number) || !user_maps_log_take(&line, &size) ||
	    !user_maps_log_take(&line, &mtime) || !user_maps_log_take(&line, &copy) ||
	    copy > UINT32_MAX)
		return 0;
	origin = arena_zalloc(&maps->arena, 1, sizeof(*origin));
	if (!origin)
		return -ENOMEM;
	origin->size = size;
	origin->mtime = mtime;
	origin->copy = (uint32_t)copy;
	take_build_id(&line, origin);
	origin->path = user_maps_path(maps, line.p, (size_t)(line.end - line.p), &origin->deleted);
	place = u64_map_element(&maps->origin_numbers, number, &maps->origins, &maps->n_origins,
				&maps->cap_origins, sizeof(*place));
	if (!origin->path || !place)
		return -ENOMEM;
	place->origin = origin;
	return 0;
}

/* "PID TIME START END OFFSET FILE" */
static bool take_mapping(const struct user_maps *maps, uint64_t shift, struct log_line line,
			 int32_t *ret_pid, struct user_mapping *ret_mapping)
{
	struct user_mapping mapping = { .path = "", .executable = true };
	uint64_t number;
	uint32_t place;

	if (!user_maps_log_take_pid(&line, ret_pid) || !take_time(&line, shift, &mapping.since) ||
	    !user_maps_log_take(&line, &mapping.start) ||
	    !user_maps_log_take(&line, &mapping.end) ||
	    !user_maps_log_take(&line, &mapping.offset) || !user_maps_log_take(&line, &number) ||
	    mapping.start >= mapping.end)
		return false;
	place = number ? u64_map_get(&maps->origin_numbers, number) : U64_MAP_NONE;
	if (place != U64_MAP_NONE && maps->origins[place].origin) {
		mapping.origin = maps->origins[place].origin;
		mapping.path = mapping.origin->path;
		mapping.deleted = mapping.origin->deleted;
	}
	*ret_mapping = mapping;
	return true;
}

static bool user_maps_log_next_line(struct log_line *text, char *ret_kind,
				    struct log_line *ret_line)
{
	const char *eol;

	if (text->p >= text->end)
		return false;
	eol = memchr(text->p, '\n', (size_t)(text->end - text->p));
	if (!eol)
		eol = text->end;
	*ret_kind = eol - text->p > 2 && text->p[1] == ' ' ? text->p[0] : '\0';
	*ret_line = (struct log_line){ *ret_kind ? text->p + 2 : eol, eol };
	text->p = eol < text->end ? eol + 1 : eol;
	return true;
}

/* Adds the mappings of @pid in the following lines, which are complete. */
static int user_maps_log_add_all(struct user_maps *maps, uint64_t shift, int32_t pid, uint64_t time,
				 struct log_line *text)
{
	struct log_line ahead = *text, line;
	struct user_mapping *mappings, mapping;
	size_t lines = 0, n = 0;
	int32_t of;
	char kind;

	while (user_maps_log_next_line(&ahead, &kind, &line) && kind == 'M' &&
	       take_mapping(maps, shift, line, &of, &mapping) && of == pid && mapping.since == time)
		lines++;
	mappings = arena_zalloc(&maps->arena, lines + 1, sizeof(*mappings));
	if (!mappings)
		return -ENOMEM;
	while (n < lines && user_maps_log_next_line(text, &kind, &line)) {
		take_mapping(maps, shift, line, &of, &mappings[n]);
		mappings[n++].since = 0;
	}
	return user_maps_add_all(maps, pid, time, mappings, n);
}

static int user_maps_log_add_line(struct user_maps *maps, uint64_t shift, char kind,
				  struct log_line line, struct log_line *text)
{
	struct user_mapping mapping;
	int32_t pid, other;
	uint64_t time, lost;

	if (kind == 'F')
		return user_maps_log_add_file(maps, line);
	if (kind == 'L') {
		if (user_maps_log_take(&line, &time) && user_maps_log_take(&line, &lost))
			maps->lost += lost;
		return 0;
	}
	if (kind == 'M') {
		if (!take_mapping(maps, shift, line, &pid, &mapping))
			return 0;
		time = mapping.since;
		mapping.since = 0;
		return user_maps_add_mapping(maps, pid, time, &mapping);
	}
	if (!user_maps_log_take_pid(&line, &pid) || !take_time(&line, shift, &time))
		return 0;
	if (kind == 'A')
		return user_maps_log_add_all(maps, shift, pid, time, text);
	if (kind == 'X')
		return user_maps_add_exec(maps, pid, time);
	if ((kind != 'C' && kind != 'T') || !user_maps_log_take_pid(&line, &other))
		return 0;
	return kind == 'C' ? user_maps_add_fork(maps, other, pid, time) :
			     user_maps_add_thread(maps, other, pid, time);
}

int user_maps_add_log(struct user_maps *maps, uint64_t shift, const char *text, size_t len)
{
	struct log_line all = { text, text + len }, line;
	char kind;
	int r = 0;

	while (r == 0 && user_maps_log_next_line(&all, &kind, &line))
		r = user_maps_log_add_line(maps, shift, kind, line, &all);
	return r;
}
