/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parses the sources of a plan. Names and filters are separated by syntax alone: a filter ends at
 * the slash that is followed by ',', '..' or the end, so that a slash can also divide.
 */
#include "count/source-parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err-input.h"
#include "base/err.h"
#include "base/str.h"
#include "read/filter.h"

#define PROFILE_HZ_MAX 10000

struct parser {
	const char *text;
	const char *p;
	struct arena *arena;
	struct fathom_err *err;
};

#define source_fail(parser, where, ...) \
	err_set_at((parser)->err, -EINVAL, (size_t)((where) - (parser)->text), __VA_ARGS__)

size_t count_field_length(const char *text)
{
	size_t n = 0;

	if (!isalpha((unsigned char)*text) && *text != '_')
		return 0;
	while (isalnum((unsigned char)text[n]) || text[n] == '_' || text[n] == '.')
		n++;
	if (text[n - 1] == '.')
		return 0;
	if (text[n] == '[') {
		size_t digits = strspn(text + n + 1, "0123456789");

		if (digits && text[n + 1 + digits] == ']')
			n += digits + 2;
	}
	return n;
}

static void source_skip_spaces(struct parser *parser)
{
	while (isspace((unsigned char)*parser->p))
		parser->p++;
}

static bool source_is_range(const char *p)
{
	return p[0] == '.' && p[1] == '.';
}

/* Returns whether a source ends at @p, apart from spaces. */
static bool source_is_end(const char *p)
{
	p += strspn(p, " \t\n");
	return !*p || *p == ',' || source_is_range(p);
}

/* Returns the length of the name at @p; a set of characters in a glob may contain anything. */
static size_t source_name_length(const char *p)
{
	size_t n = 0;

	while (p[n] && !strchr(",/ \t\n", p[n]) && !source_is_range(p + n)) {
		const char *close = p[n] == '[' ? strchr(p + n, ']') : NULL;

		n = close ? (size_t)(close - p) + 1 : n + 1;
	}
	return n;
}

/* Returns the length of the filter at @p, which follows a slash, or -1 if it does not end. */
static ptrdiff_t source_filter_length(const char *p)
{
	char quote = '\0';

	for (size_t n = 0; p[n]; n++) {
		if (quote && p[n] == '\\' && p[n + 1])
			n++;
		else if (quote)
			quote = p[n] == quote ? '\0' : quote;
		else if (p[n] == '"' || p[n] == '\'')
			quote = p[n];
		else if (p[n] == '/' && source_is_end(p + n + 1))
			return (ptrdiff_t)n;
	}
	return -1;
}

static int source_take_filter(struct parser *parser, struct count_source *source)
{
	const char *start = ++parser->p;
	ptrdiff_t len = source_filter_length(start);
	int r;

	if (len < 0)
		return source_fail(parser, start - 1,
				   "unclosed '/': a filter is written /CONDITION/, an event "
				   "SYSTEM:NAME");
	source->filter_text = arena_strndup(parser->arena, start, (size_t)len);
	if (!source->filter_text)
		return err_nomem(parser->err);
	parser->p += len + 1;
	r = filter_parse(source->filter_text, parser->arena, &source->filter, parser->err);
	if (r == 0 || r == -ENOMEM)
		return r;
	if (parser->err) {
		parser->err->offset += (size_t)(start - parser->text);
		parser->err->code = -EINVAL;
	}
	return -EINVAL;
}

/* One source, whose name still contains everything but the filter. */
static int source_parse(struct parser *parser, struct count_source *source)
{
	const char *start;
	size_t len;

	source_skip_spaces(parser);
	start = parser->p;
	len = source_name_length(start);
	if (!len)
		return source_fail(parser, start,
				   "expected an event (SYSTEM:NAME), a kernel function or "
				   "profile:HZ");
	*source = (struct count_source){ .name = arena_strndup(parser->arena, start, len) };
	if (!source->name)
		return err_nomem(parser->err);
	parser->p += len;
	source_skip_spaces(parser);
	if (*parser->p == '/') {
		int r = source_take_filter(parser, source);

		if (r < 0)
			return r;
	}
	if (!source_is_end(parser->p))
		return source_fail(parser, parser->p, "expected ',', '..' or /FILTER/");
	source->text = arena_strndup(parser->arena, start, (size_t)(parser->p - start));
	return source->text ? 0 : err_nomem(parser->err);
}

static int source_list_parse(struct parser *parser, struct count_source *list, size_t *ret_n)
{
	size_t n = 0;

	do {
		int r;

		if (n)
			parser->p++;
		source_skip_spaces(parser);
		if (n == COUNT_SOURCES_MAX)
			return source_fail(parser, parser->p,
					   "more than %d events and functions: use a glob",
					   COUNT_SOURCES_MAX);
		r = source_parse(parser, &list[n]);
		if (r < 0)
			return r;
		n++;
		source_skip_spaces(parser);
	} while (*parser->p == ',');
	*ret_n = n;
	return 0;
}

/* Moves "[FIELD]" from the end of the name to the pairing key. */
static int source_split_pair(struct parser *parser, struct count_source *source)
{
	size_t len = strlen(source->name);
	const char *open = NULL;
	size_t field;
	char *name;

	if (source->name[len - 1] == ']')
		open = strchr(source->name, '[');
	/* The index of an element follows its array: "sys_enter[args[0]]". */
	while (open && open[1 + count_field_length(open + 1)] != ']')
		open = strchr(open + 1, '[');
	field = open ? count_field_length(open + 1) : 0;
	if (!field || open + field + 2 < source->name + len)
		return 0;
	source->pair = arena_strndup(parser->arena, open + 1, field);
	name = arena_strndup(parser->arena, source->name, (size_t)(open - source->name));
	if (!source->pair || !name)
		return err_nomem(parser->err);
	source->name = name;
	return 0;
}

static int source_profile(struct parser *parser, struct count_source *source, const char *hz)
{
	char *end;
	unsigned long value;

	value = strtoul(hz, &end, 10);
	if (!isdigit((unsigned char)*hz) || *end || value < 1 || value > PROFILE_HZ_MAX)
		return err_set(parser->err, -EINVAL,
			       "invalid frequency '%.40s': expected profile:HZ with 1 to %d Hz", hz,
			       PROFILE_HZ_MAX);
	source->kind = COUNT_PROFILE;
	source->hz = (unsigned)value;
	source->name = "profile";
	return 0;
}

/* Characters that no name of an event or function has, but a mistyped command. */
static const char *source_odd_character(const char *name)
{
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && !strchr("_.*?[]!^-", *name))
			return name;
	return NULL;
}

static int source_classify(struct parser *parser, struct count_source *source)
{
	const char *hz = str_after(source->name, "profile:");
	const char *result = str_after(source->name, "kr:");
	const char *function = result ?: str_after(source->name, "k:");
	const char *colon = strchr(source->name, ':'), *odd;

	if (hz)
		return source_profile(parser, source, hz);
	if (function || !colon) {
		source->kind = COUNT_FUNCTION;
		source->name = function ?: source->name;
		source->is_return = result != NULL;
	} else {
		source->kind = COUNT_EVENT;
		source->system =
			arena_strndup(parser->arena, source->name, (size_t)(colon - source->name));
		if (!source->system)
			return err_nomem(parser->err);
		source->name = colon + 1;
	}
	odd = source_odd_character(source->name);
	if (!odd && source->system)
		odd = source_odd_character(source->system);
	if (odd)
		return err_set(parser->err, -EINVAL,
			       "unexpected '%.1s' in '%.80s': expected SYSTEM:NAME, the name of a "
			       "kernel function, or profile:HZ",
			       odd, source->text);
	if (!*source->name || (source->system && !*source->system))
		return err_set(parser->err, -EINVAL,
			       "incomplete name '%.80s': expected SYSTEM:NAME or the name of a "
			       "kernel function",
			       source->text);
	return 0;
}

static int source_list_resolve(struct parser *parser, struct count_source *list, size_t n,
			       bool has_range)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++) {
		/* Elsewhere, brackets are part of a glob. */
		if (has_range)
			r = source_split_pair(parser, &list[i]);
		if (r == 0)
			r = source_classify(parser, &list[i]);
	}
	return r;
}

static int sources_take(struct parser *parser, struct count_plan *plan)
{
	int r = source_list_parse(parser, plan->sources, &plan->n_sources);

	if (r == 0 && source_is_range(parser->p)) {
		memcpy(plan->begins, plan->sources, sizeof(plan->begins));
		plan->n_begins = plan->n_sources;
		parser->p += 2;
		r = source_list_parse(parser, plan->sources, &plan->n_sources);
	}
	if (r == 0 && *parser->p)
		r = source_fail(parser, parser->p, "unexpected '..': expected one BEGINS..ENDS");
	if (r == 0)
		r = source_list_resolve(parser, plan->begins, plan->n_begins, true);
	if (r == 0)
		r = source_list_resolve(parser, plan->sources, plan->n_sources, plan->n_begins > 0);
	return r;
}

int count_sources_parse(const char *what, struct arena *arena, struct count_plan *plan,
			struct fathom_err *err)
{
	struct parser parser = { .text = what, .p = what, .arena = arena, .err = err };
	int r = sources_take(&parser, plan);

	if (r < 0 && r != -ENOMEM)
		err_show_input(err, what);
	return r;
}
