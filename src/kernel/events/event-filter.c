/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "kernel/events/event-filter.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"

#define BLANKS " \t\n"

static bool event_filter_is_field(const struct event_layout *layout, const char *name, size_t len)
{
	/* Valid for every event, although no format lists them. */
	static const char *const always[] = { "cpu",  "CPU",	    "comm",
					      "COMM", "stacktrace", "STACKTRACE" };

	for (size_t i = 0; i < ARRAY_SIZE(always); i++)
		if (strlen(always[i]) == len && memcmp(always[i], name, len) == 0)
			return true;
	for (size_t i = 0; i < layout->n_fields; i++)
		/* "comm[16]" */
		if (strcspn(layout->fields[i].name, "[") == len &&
		    memcmp(layout->fields[i].name, name, len) == 0)
			return true;
	return false;
}

static size_t name_length(const char *text)
{
	size_t len = 0;

	while (isalnum((unsigned char)text[len]) || text[len] == '_')
		len++;
	return len;
}

/* Returns the end of the quoted string at @p, or NULL if it is unterminated. */
static const char *skip_quoted(const char *p)
{
	const char *end = strchr(p + 1, *p);

	return end ? end + 1 : NULL;
}

/* Returns the next "&&" or "||", or the end. *@depth counts open parentheses. */
static const char *skip_comparison(const char *p, int *depth, struct fathom_err *err)
{
	while (*p && strncmp(p, "&&", 2) != 0 && strncmp(p, "||", 2) != 0) {
		if (*p == '"' || *p == '\'') {
			p = skip_quoted(p);
			if (!p) {
				err_set(err, -EINVAL, "unterminated quotation mark");
				return NULL;
			}
			continue;
		}
		*depth += (*p == '(') - (*p == ')');
		p++;
		if (*depth < 0)
			break;
	}
	return p;
}

static int events_event_filter_check(const char *p, const struct event_layout *layout,
				     struct fathom_err *err)
{
	int depth = 0;

	for (;;) {
		size_t len;

		for (; *p && strchr(BLANKS "(!", *p); p++)
			depth += *p == '(';
		len = name_length(p);
		if (!len)
			return err_set(err, -EINVAL, "expected a field at '%.40s'", p);
		if (!event_filter_is_field(layout, p, len))
			return err_set(err, -EINVAL, "the event has no field '%.*s'", (int)len, p);
		p += len;
		/* "field.ustring" */
		if (*p == '.')
			p += 1 + name_length(p + 1);
		p += strspn(p, BLANKS);
		if (!*p || !strchr("=!<>&~", *p))
			return err_set(err, -EINVAL, "expected a comparison at '%.40s'", p);
		p = skip_comparison(p, &depth, err);
		if (!p)
			return -EINVAL;
		if (depth < 0 || !*p)
			break;
		p += 2;
	}
	return depth ? err_set(err, -EINVAL, "unbalanced parentheses") : 0;
}

int event_filter_check(const char *filter, const struct event_layout *layout,
		       struct fathom_err *err)
{
	int r;

	/* clears the filter */
	if (str_eq(filter, "0"))
		return 0;
	r = events_event_filter_check(filter, layout, err);
	return r < 0 ? err_prefix(err, "filter '%.80s'", filter), r : 0;
}
