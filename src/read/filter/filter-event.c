/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Determines which events a word, or the part before the colon, refers to. */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "read/filter/filter-compile.h"

/* trace-cmd inserts the name between '^' and '$' literally, which splits "a\|b" there. */
static int compile_regex(struct filter *filter, const char *text, const struct pattern **ret,
			 struct fathom_err *err)
{
	size_t len = strlen(text);
	char *anchored;

	/* Most names are plain, and are compared with thousands of events. */
	if (!strpbrk(text, ".*[]\\^$"))
		return pattern_compile(filter->arena, PATTERN_EXACT, PATTERN_ICASE, text, len, ret,
				       err);
	anchored = arena_alloc(filter->arena, len + 3);
	if (!anchored)
		return err_nomem(err);
	anchored[0] = '^';
	memcpy(anchored + 1, text, len);
	anchored[len + 1] = '$';
	anchored[len + 2] = '\0';
	return pattern_compile(filter->arena, PATTERN_REGEX, PATTERN_ICASE, anchored, len + 2, ret,
			       err);
}

static int filter_event_compile_name(struct filter *filter, const struct filter_pattern *pattern,
				     const char *text, const struct pattern **ret,
				     struct fathom_err *err)
{
	int r = -EINVAL;

	if (pattern->regex)
		r = compile_regex(filter, text, ret, err);
	if (r == -EINVAL)
		r = pattern_compile(filter->arena, PATTERN_GLOB, 0, text, strlen(text), ret, err);
	if (r == -EINVAL && err)
		err->offset = pattern->offset;
	return r;
}

static int compile_pattern(struct filter *filter, struct filter_pattern *pattern,
			   struct fathom_err *err)
{
	int r = filter_event_compile_name(filter, pattern, pattern->name, &pattern->name_pattern,
					  err);

	if (r == 0 && pattern->system)
		r = filter_event_compile_name(filter, pattern, pattern->system,
					      &pattern->system_pattern, err);
	return r;
}

int filter_patterns_init(struct filter *filter, struct filter_pattern *patterns,
			 struct fathom_err *err)
{
	for (struct filter_pattern *p = patterns; p; p = p->next) {
		int r = 0;

		p->found = false;
		p->functions = NULL;
		p->cache = NULL;
		if (!p->name_pattern)
			r = compile_pattern(filter, p, err);
		if (r < 0)
			return r;
	}
	return 0;
}

static bool filter_event_fits(const struct pattern *pattern, const char *text)
{
	return pattern_match(pattern, text, strlen(text));
}

bool filter_pattern_fits(struct filter_pattern *pattern, const struct event_format *format)
{
	bool result;

	if (!format)
		return false;
	result = filter_event_fits(pattern->name_pattern, format->name);
	if (pattern->system)
		result = result && filter_event_fits(pattern->system_pattern, format->system);
	else if (!result &&
		 (pattern->regex || !pattern_is_glob(pattern->name, strlen(pattern->name))))
		result = filter_event_fits(pattern->name_pattern, format->system);
	if (result)
		pattern->found = true;
	return result;
}

static bool fits_any(struct filter_pattern *pattern, const struct event_format *const *formats,
		     size_t n_formats)
{
	for (size_t i = 0; i < n_formats; i++)
		if (filter_pattern_fits(pattern, formats[i]))
			return true;
	return false;
}

static int no_such_event(const struct filter *filter, const struct filter_pattern *pattern,
			 const struct event_format *const *formats, size_t n_formats,
			 struct fathom_err *err)
{
	struct nearest nearest = { .wanted = pattern->name };
	const char *guess;

	for (size_t i = 0; i < n_formats; i++) {
		nearest_offer(&nearest, formats[i]->name);
		nearest_offer(&nearest, formats[i]->system);
	}
	guess = nearest_pick(&nearest);
	if (guess)
		return err_set_at(err, -ENOENT, pattern->offset,
				  "no event '%.*s' in this trace; did you mean '%s'?",
				  (int)pattern->len, filter->text + pattern->offset, guess);
	if (filter->env.function_ranges && !pattern->system &&
	    filter->env.function_ranges(filter->env.arg, pattern->name, NULL, 0) > 0)
		return err_set_at(err, -ENOENT, pattern->offset,
				  "'%.*s' is a function, not an event: use '%.*s and ...'",
				  (int)pattern->len, filter->text + pattern->offset,
				  (int)pattern->len, filter->text + pattern->offset);
	return err_set_at(err, -ENOENT, pattern->offset, "no event '%.*s' in this trace",
			  (int)pattern->len, filter->text + pattern->offset);
}

int filter_prefix_check(struct filter *filter, const struct event_format *const *formats,
			size_t n_formats, struct fathom_err *err)
{
	for (struct filter_pattern *p = filter->events; p; p = p->next) {
		bool regex = p->regex;
		int r;

		if (fits_any(p, formats, n_formats))
			continue;
		p->regex = false;
		r = compile_pattern(filter, p, err);
		if (r < 0)
			return r;
		if (!fits_any(p, formats, n_formats)) {
			/* Other formats may match it when the filter is bound again. */
			p->regex = regex;
			p->name_pattern = NULL;
			return no_such_event(filter, p, formats, n_formats, err);
		}
	}
	return 0;
}
