/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Distinguishes trace-cmd's "EVENTS: CONDITION" from the short form, which can also have colons
 * ("SYSTEM:EVENT"), and parses the part before the colon. A text with a colon that trace-cmd
 * accepts always has the first form.
 */
#include "read/filter/filter-prefix.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"

struct filter_pattern *filter_pattern_new(struct arena *arena, const char *system, const char *name,
					  uint32_t offset, uint32_t len)
{
	struct filter_pattern *pattern = arena_zalloc(arena, 1, sizeof(*pattern));

	if (pattern) {
		pattern->system = system;
		pattern->name = name;
		pattern->offset = offset;
		pattern->len = len;
	}
	return pattern;
}

/* Returns whether the text up to @end can be a list of events. */
static bool is_event_list(const char *text, const char *end)
{
	bool space = false, in_word = false;

	for (const char *p = text; p < end; p++) {
		if (*p == ' ' || *p == '\t') {
			space = in_word;
			continue;
		}
		if (strchr("\"'=<>!&~", *p) ||
		    ((*p == '(' || *p == ')' || *p == '|') && (p == text || p[-1] != '\\')))
			return false;
		/* Two words without a comma or slash between them. */
		if (space && *p != ',' && *p != '/')
			return false;
		space = false;
		in_word = *p != ',' && *p != '/';
	}
	return true;
}

static bool is_keyword(const char *p, const char *keyword)
{
	const char *behind = str_after(p, keyword);

	return behind && !(*behind == '_' || (*behind >= '0' && *behind <= '9') ||
			   ((*behind | 0x20) >= 'a' && (*behind | 0x20) <= 'z'));
}

/*
 * Recognizes "SYSTEM:EVENT" in the short form: the colon is followed by a name without a
 * comparison. trace-cmd does not accept such a text.
 */
static bool is_system_event(const char *behind)
{
	size_t len;

	behind += strspn(behind, " \t");
	len = strcspn(behind, " \t,):&|<>=!~^+%(\"'");
	if (len == 0)
		return false;
	behind += len;
	behind += strspn(behind, " \t");
	return !*behind || *behind == ',' || *behind == ')' || *behind == ':' ||
	       str_after(behind, "&&") || str_after(behind, "||") || is_keyword(behind, "and") ||
	       is_keyword(behind, "or");
}

static int filter_prefix_add_event(struct filter *filter, const char *p, size_t len,
				   struct filter_pattern **ret, struct fathom_err *err)
{
	uint32_t offset;
	const char *slash, *system = NULL;
	struct filter_pattern *pattern;
	char *name;

	while (len > 0 && (*p == ' ' || *p == '\t')) {
		p++;
		len--;
	}
	while (len > 0 && (p[len - 1] == ' ' || p[len - 1] == '\t'))
		len--;
	offset = (uint32_t)(p - filter->text);
	if (len == 0)
		return err_set_at(err, -EINVAL, offset, "expected an event name");
	slash = memchr(p, '/', len);
	if (slash) {
		system = arena_strndup(filter->arena, p, strcspn(p, " \t/"));
		name = arena_strndup(filter->arena, slash + 1 + strspn(slash + 1, " \t"),
				     (size_t)(p + len - slash - 1) - strspn(slash + 1, " \t"));
	} else {
		name = arena_strndup(filter->arena, p, len);
	}
	if (!name || (slash && !system))
		return err_nomem(err);
	if (!*name || (slash && !*system))
		return err_set_at(err, -EINVAL, offset, "invalid event: expected SYSTEM/EVENT");
	pattern = filter_pattern_new(filter->arena, system, name, offset, (uint32_t)len);
	if (!pattern)
		return err_nomem(err);
	pattern->regex = true;
	*ret = pattern;
	return 0;
}

/* Returns the end of what trace-cmd takes for a list of events, or NULL if there is none. */
static const char *filter_prefix_find_end(const char *text)
{
	const char *end = strchr(text, ':');

	if (end)
		return is_event_list(text, end) && !is_system_event(end + 1) ? end : NULL;
	/* Without a colon, only what cannot be anything else. */
	end = text + strlen(text);
	if (!strchr(text, '\\') && !strstr(text, " /") && !strstr(text, "/ "))
		return NULL;
	return is_event_list(text, end) ? end : NULL;
}

int filter_prefix_parse(struct filter *filter, size_t *ret_at, struct fathom_err *err)
{
	struct filter_pattern **next = &filter->events;
	const char *end = filter_prefix_find_end(filter->text);
	const char *p = filter->text;

	if (!end)
		return 0;
	while (p <= end) {
		const char *comma = memchr(p, ',', (size_t)(end - p));
		const char *stop = comma ? comma : end;
		struct filter_pattern *pattern = NULL;
		int r = filter_prefix_add_event(filter, p, (size_t)(stop - p), &pattern, err);

		if (r != 0)
			return r;
		*next = pattern;
		next = &pattern->next;
		p = stop + 1;
	}
	filter->prefixed = true;
	*ret_at = (size_t)(end - filter->text) + (*end == ':');
	return 0;
}
