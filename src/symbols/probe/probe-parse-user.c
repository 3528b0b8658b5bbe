/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parses the places of user probes: "[PID:]FILE:FUNCTION[+OFFSET]", "[PID:]FILE:0xOFFSET",
 * "[PID:]FILE:SOURCE:LINE" and "[PID:]FILE:PROVIDER:NAME". The name of a file can contain colons;
 * the rest cannot.
 */
#include "base/str.h"
#include "symbols/probe/probe-parts.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"

/* The text from @start to @end, everything before the values. */
struct place {
	const char *text;
	const char *start, *end;
	struct probe *probe;
	struct arena *arena;
	struct fathom_err *err;
};

#define fail(place, where, ...) \
	probe_error((place)->text, (size_t)((where) - (place)->text), (place)->err, __VA_ARGS__)

/* Values begin with "(" or "=>", without white space before them. */
static const char *probe_parse_user_find_end(const char *p)
{
	while (*p && *p != '(' && !isspace((unsigned char)*p) && strncmp(p, "=>", 2) != 0)
		p++;
	return p;
}

static const char *last_colon(const char *start, const char *end)
{
	return end > start ? memrchr(start, ':', (size_t)(end - start)) : NULL;
}

static int probe_parse_user_copy(const struct place *place, const char *start, const char *end,
				 const char **ret)
{
	*ret = arena_strndup(place->arena, start, (size_t)(end - start));
	return *ret ? 0 : err_nomem(place->err);
}

/* Parses "FILE", "PID:FILE" or "PID", from @start to @end. */
static int parse_file(const struct place *place, const char *start, const char *end)
{
	size_t digits = strspn(start, "0123456789");
	const char *behind = start + digits;
	long pid;

	place->probe->file_at = (size_t)(start - place->text);
	if (start >= end)
		return fail(place, start, "expected the path or name of a program");
	if (!digits || behind > end || (behind < end && *behind != ':'))
		return probe_parse_user_copy(place, start, end, &place->probe->file);
	errno = 0;
	pid = strtol(start, NULL, 10);
	if (errno || pid <= 0 || pid > INT32_MAX)
		return fail(place, start, "invalid PID");
	place->probe->pid = (int)pid;
	place->probe->pid_at = place->probe->file_at;
	if (behind == end)
		return 0;
	place->probe->file_at = (size_t)(behind + 1 - place->text);
	if (behind + 1 == end)
		return fail(place, end, "expected the path or name of a program");
	return probe_parse_user_copy(place, behind + 1, end, &place->probe->file);
}

/* Parses a number that ends at @end. */
static int parse_offset(const struct place *place, const char *p, uint64_t *ret)
{
	unsigned long long value;
	char *behind;

	if (!isdigit((unsigned char)*p))
		return fail(place, p, "expected a number");
	errno = 0;
	value = strtoull(p, &behind, 0);
	if (errno || behind != place->end)
		return fail(place, p, "invalid number: expected at most 64 bits");
	*ret = value;
	return 0;
}

/* Parses "0x1234", a place in the file. */
static int probe_parse_user_parse_number(const struct place *place, const char *p)
{
	struct probe *probe = place->probe;

	if (probe->kind != PROBE_USER)
		return fail(place, p,
			    "'ur:' requires a function name: a return probe at a wrong offset "
			    "would crash the program");
	probe->is_place = true;
	probe->function = probe->file ? str_base_name(probe->file) : "process";
	return parse_offset(place, p, &probe->offset);
}

/* Parses "FUNCTION", "FUNCTION+OFFSET" or a glob. */
static int parse_function(const struct place *place, const char *p)
{
	struct probe *probe = place->probe;
	const char *plus = memchr(p, '+', (size_t)(place->end - p));
	int r;

	probe->function_at = (size_t)(p - place->text);
	if (p == place->end)
		return fail(place, p, "expected a function name");
	if (isdigit((unsigned char)*p))
		return probe_parse_user_parse_number(place, p);
	if (plus == p)
		return fail(place, p, "expected a function name");
	r = probe_parse_user_copy(place, p, plus ? plus : place->end, &probe->function);
	if (r < 0 || !plus)
		return r;
	if (probe->kind != PROBE_USER)
		return fail(place, plus, "an offset is supported only in 'u:'");
	if (strpbrk(probe->function, "*?["))
		return fail(place, plus, "an offset cannot be combined with a glob");
	r = parse_offset(place, plus + 1, &probe->offset);
	if (r == 0 && probe->offset > INT32_MAX)
		r = fail(place, plus, "offset too large");
	return r;
}

/* Parses "PROVIDER:NAME" at @p, with the colon at @colon. */
static int probe_parse_user_parse_marker(const struct place *place, const char *p,
					 const char *colon)
{
	struct probe *probe = place->probe;
	int r;

	probe->function_at = (size_t)(p - place->text);
	if (p == colon || colon + 1 == place->end)
		return fail(place, p == colon ? p : place->end, "expected the %s of a marker",
			    p == colon ? "provider" : "name");
	r = probe_parse_user_copy(place, p, colon, &probe->provider);
	if (r == 0)
		r = probe_parse_user_copy(place, colon + 1, place->end, &probe->function);
	return r;
}

/* Returns true for "main.c" and "src/main.rs", not for "libc.so" or "libc.so.6". */
static bool is_source(const char *start, const char *end)
{
	const char *dot = end > start ? memrchr(start, '.', (size_t)(end - start)) : NULL;

	if (!dot || dot == start || !isalpha((unsigned char)dot[1]) ||
	    (end - dot == 3 && strncmp(dot, ".so", 3) == 0))
		return false;
	for (const char *p = dot + 1; p < end; p++)
		if (!isalnum((unsigned char)*p) && *p != '+')
			return false;
	for (const char *p = start; p < end; p++)
		if (strchr("*?[ \t", *p))
			return false;
	return true;
}

const char *probe_source_end(const char *start, const char *end)
{
	const char *colon = last_colon(start, end);
	const char *p = colon ? colon + 1 : end;

	if (p == end || !is_source(start, colon))
		return NULL;
	for (; p < end; p++)
		if (!isdigit((unsigned char)*p))
			return NULL;
	return colon;
}

int probe_parse_line(const char *text, const char *start, const char *end, struct arena *arena,
		     struct probe *probe, struct fathom_err *err)
{
	const struct place place = { text, start, end, probe, arena, err };
	const char *colon = probe_source_end(start, end);
	uint64_t line = 0;
	int r;

	probe->function_at = (size_t)(start - text);
	if (probe->kind != PROBE_USER && probe->kind != PROBE_ENTRY)
		return fail(&place, start, "source lines are supported only in '%s'",
			    probe_is_user(probe) ? "u:" : "k:");
	/* A leading 0 does not mean octal. */
	for (const char *p = colon + 1; p < end && line <= INT32_MAX; p++)
		line = line * 10 + (uint64_t)(*p - '0');
	if (!line || line > INT32_MAX)
		return fail(&place, colon + 1, "invalid line number: expected 1 or more");
	probe->line = (uint32_t)line;
	r = probe_parse_user_copy(&place, start, colon, &probe->source);
	if (r < 0)
		return r;
	probe->function = arena_printf(arena, "%s:%u", str_base_name(probe->source), probe->line);
	return probe->function ? 0 : err_nomem(err);
}

/* Returns the colon before "SOURCE:LINE", or NULL. */
static const char *find_source(const struct place *place, const char *colon)
{
	const char *before = colon && place->probe->kind != PROBE_MARKER ?
				     last_colon(place->start, colon) :
				     NULL;

	return before && probe_source_end(before + 1, place->end) ? before : NULL;
}

int probe_parse_user_place(const char *text, const char *p, struct arena *arena,
			   struct probe *probe, const char **ret_end, struct fathom_err *err)
{
	struct place place = { text, p, probe_parse_user_find_end(p), probe, arena, err };
	const char *colon = last_colon(place.start, place.end), *first = colon;
	const char *source = find_source(&place, colon);
	int r;

	*ret_end = place.end;
	if (source) {
		r = parse_file(&place, place.start, source);
		return r < 0 ? r : probe_parse_line(text, source + 1, place.end, arena, probe, err);
	}
	if (probe->kind == PROBE_MARKER && colon)
		first = last_colon(place.start, colon);
	if (!first)
		return fail(&place, place.start, "expected %s, as in '%s'",
			    colon ? "a program, a provider and a name" :
				    "a program and a location in it",
			    probe->kind == PROBE_MARKER ? "usdt:/bin/app:provider:name" :
			    probe->kind == PROBE_USER	? "u:/bin/app:main" :
							  "ur:/bin/app:main");
	r = parse_file(&place, place.start, first);
	if (r == 0)
		r = probe->kind == PROBE_MARKER ?
			    probe_parse_user_parse_marker(&place, first + 1, colon) :
			    parse_function(&place, colon + 1);
	return r;
}
