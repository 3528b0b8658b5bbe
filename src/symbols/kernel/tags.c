/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "symbols/kernel/tags.h"

#include <ctype.h>
#include <string.h>

#include "base/str.h"

/* Copies up to a byte of @ends that is not escaped. Returns what follows it. */
static const char *copy_pattern(const char *p, const char *end, char delimiter, char *to,
				size_t size)
{
	size_t n = 0;

	for (; p < end && *p != delimiter; p++) {
		if (*p == '\\' && p + 1 < end)
			p++;
		if (n + 1 < size)
			to[n++] = *p;
	}
	to[n] = '\0';
	return p < end ? p + 1 : end;
}

/* Parses the number at *@p, which ends before @end; 0 if there is none or it is too large. */
static unsigned tags_read_number(const char **p, const char *end)
{
	unsigned long n = 0;

	for (; *p < end && isdigit((unsigned char)**p); (*p)++)
		n = n < 100000000 ? n * 10 + (unsigned long)(**p - '0') : 0;
	return (unsigned)n;
}

/* "450", "/^ssize_t vfs_read(struct file *file$/". */
static const char *read_place(struct tag *tag, const char *p, const char *end)
{
	size_t len;

	if (p < end && isdigit((unsigned char)*p)) {
		tag->line = tags_read_number(&p, end);
		return p;
	}
	if (p == end || (*p != '/' && *p != '?'))
		return p;
	p = copy_pattern(p + 1, end, *p, tag->pattern, sizeof(tag->pattern));
	if (tag->pattern[0] == '^')
		memmove(tag->pattern, tag->pattern + 1, strlen(tag->pattern));
	len = strlen(tag->pattern);
	if (len && tag->pattern[len - 1] == '$') {
		tag->pattern[len - 1] = '\0';
		tag->to_end = true;
	}
	return p;
}

/* Follows the location: ";\"\tf\tline:450\tfile:". */
static void tags_read_fields(struct tag *tag, const char *p, const char *end)
{
	while (p < end) {
		const char *tab = memchr(p, '\t', (size_t)(end - p));
		size_t len = (size_t)((tab ? tab : end) - p);

		if (len == 1)
			tag->kind = *p;
		else if (len > 5 && memcmp(p, "line:", 5) == 0)
			p += 5, tag->line = tags_read_number(&p, end);
		else if (len > 5 && memcmp(p, "kind:", 5) == 0)
			tag->kind = p[5];
		p = tab ? tab + 1 : end;
	}
}

/* Parses a line, after the name and its tab. */
static bool read_tag(struct tag *tag, const char *p, const char *end)
{
	const char *tab = memchr(p, '\t', (size_t)(end - p));

	*tag = (struct tag){ 0 };
	/* File names contain no NUL. */
	if (!tab || tab == p || (size_t)(tab - p) >= sizeof(tag->file) ||
	    memchr(p, '\0', (size_t)(tab - p)))
		return false;
	memcpy(tag->file, p, (size_t)(tab - p));
	p = read_place(tag, tab + 1, end);
	if (!tag->line && !*tag->pattern)
		return false;
	if (p + 2 < end && p[0] == ';' && p[1] == '"')
		tags_read_fields(tag, p + 2, end);
	return true;
}

size_t tags_find(const char *text, size_t size, const char *name, struct tag *ret_tags, size_t max)
{
	size_t len = strlen(name), n = 0, functions = 0;
	const char *end = text + size;

	if (!len)
		return 0;
	for (const char *p = text; n < max && (p = memmem(p, (size_t)(end - p), name, len)); p++) {
		const char *eol;
		struct tag tag;

		if ((p > text && p[-1] != '\n') || p + len == end || p[len] != '\t')
			continue;
		eol = memchr(p, '\n', (size_t)(end - p));
		if (!read_tag(&tag, p + len + 1, eol ? eol : end))
			continue;
		if (tag.kind == 'f') {
			memmove(ret_tags + functions + 1, ret_tags + functions,
				(n - functions) * sizeof(tag));
			ret_tags[functions++] = tag;
		} else {
			ret_tags[n] = tag;
		}
		n++;
	}
	return n;
}

unsigned tag_line(const struct tag *tag, const char *text, size_t size)
{
	const char *end = text + size, *line = text;
	size_t len = strlen(tag->pattern);

	if (tag->line || !len)
		return tag->line;
	for (unsigned n = 1; line < end; n++) {
		const char *eol = memchr(line, '\n', (size_t)(end - line));
		size_t is = (size_t)((eol ? eol : end) - line);

		if (is >= len && memcmp(line, tag->pattern, len) == 0 &&
		    (!tag->to_end || is == len))
			return n;
		line = eol ? eol + 1 : end;
	}
	return 0;
}

/*
 * Returns the length of "X.Y" or "X.Y.Z", with or without "-rcN", at the beginning of @p; 0:
 * neither.
 */
static size_t version_length(const char *p)
{
	size_t n = 0, parts = 0, rc;

	while (isdigit((unsigned char)p[n])) {
		n += strspn(p + n, "0123456789");
		parts++;
		if (parts == 3 || p[n] != '.' || !isdigit((unsigned char)p[n + 1]))
			break;
		n++;
	}
	if (parts < 2)
		return 0;
	if ((p[n] == '-' || p[n] == '~') && str_after(p + n + 1, "rc")) {
		rc = strspn(p + n + 3, "0123456789");
		n += rc ? 3 + rc : 0;
	}
	return n;
}

bool source_version(const char *release, const char *version, char *ret_version, size_t size)
{
	const char *from = strstr(version, "Debian ");
	size_t len;
	char *dot;

	from = from && version_length(from + 7) ? from + 7 : release;
	len = version_length(from);
	if (!len || len >= size)
		return false;
	memcpy(ret_version, from, len);
	ret_version[len] = '\0';
	for (char *p = ret_version; *p; p++)
		if (*p == '~')
			*p = '-';
	/*
	 * The first release of a series has no third number: 6.12.0 is v6.12, 7.3.0-rc1 is
	 * v7.3-rc1.
	 */
	dot = strchr(ret_version, '.');
	dot = dot ? strchr(dot + 1, '.') : NULL;
	if (dot && dot[1] == '0' && !isdigit((unsigned char)dot[2]))
		memmove(dot, dot + 2, strlen(dot + 2) + 1);
	return true;
}
