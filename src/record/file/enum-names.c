/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/file/enum-names.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

/* The kernel limits field names to 31 characters. */
#define FIELD_MAX 64

/* Appends the names of one field, which start at @line. Returns the line after them. */
static const char *enum_names_put_list(const char *line, const char *head, struct strbuf *list)
{
	const char *rest;

	while ((rest = str_after(line, head))) {
		size_t number = strcspn(rest, " "), all = strcspn(rest, "\n");

		if (number < all)
			strbuf_addf(list, ", { %.*s, \"%.*s\" }", (int)number, rest,
				    (int)(all - number - 1), rest + number + 1);
		line = rest + all + (rest[all] == '\n');
	}
	return line;
}

/* Finds " FIELD=%u" in the print format. Returns its conversion character, or NULL. */
static char *enum_names_find_letter(char *text, const char *end, const char *field)
{
	char wanted[FIELD_MAX + 8], *found;

	snprintf(wanted, sizeof(wanted), " %s=%%", field);
	found = memmem(text, (size_t)(end - text), wanted, strlen(wanted));
	found = found ? found + strlen(wanted) : NULL;
	return found && (*found == 'u' || *found == 'd') ? found : NULL;
}

/* Finds "REC->FIELD" after it, as a whole argument. */
static char *find_argument(char *text, const char *field)
{
	char wanted[FIELD_MAX + 8];

	snprintf(wanted, sizeof(wanted), ", REC->%s", field);
	for (char *p = text; (p = strstr(p, wanted)); p++) {
		char behind = p[strlen(wanted)];

		if (behind == ',' || behind == '\n' || !behind)
			return p + 2;
	}
	return NULL;
}

/* Leaves a format alone that does not look as the kernel writes it. */
static int enum_names_put_field(const char *field, const char *list, struct strbuf *format)
{
	_cleanup_strbuf_ struct strbuf changed = { 0 };
	char *print = strstr(format->s, "\nprint fmt: \""), *quote, *letter, *argument;
	size_t len = strlen("REC->") + strlen(field);

	quote = print ? strstr(print + strlen("\nprint fmt: \""), "\", ") : NULL;
	letter = quote ? enum_names_find_letter(print, quote, field) : NULL;
	argument = letter ? find_argument(quote, field) : NULL;
	if (!argument)
		return 0;
	*letter = 's';
	strbuf_add(&changed, format->s, (size_t)(argument - format->s));
	strbuf_addf(&changed, "__print_symbolic(REC->%s%s)%s", field, list, argument + len);
	if (changed.err)
		return -ENOMEM;
	strbuf_clear(format);
	strbuf_add(format, changed.s, changed.len);
	return format->err ? -ENOMEM : 0;
}

int enum_names_put(const char *enums, const char *event, struct strbuf *format)
{
	size_t len = strlen(event);
	int r = 0;

	for (const char *line = enums; *line && r == 0;) {
		_cleanup_strbuf_ struct strbuf list = { 0 };
		char head[512], field[FIELD_MAX];
		const char *rest = str_after(line, event);
		size_t n = rest && *rest == ' ' ? strcspn(rest + 1, " \n") : 0;

		if (!n || rest[1 + n] != ' ' || n >= sizeof(field) || len + n + 3 > sizeof(head)) {
			line += strcspn(line, "\n");
			line += *line == '\n';
			continue;
		}
		snprintf(field, sizeof(field), "%.*s", (int)n, rest + 1);
		snprintf(head, sizeof(head), "%s %s ", event, field);
		line = enum_names_put_list(line, head, &list);
		r = list.err ? -ENOMEM : enum_names_put_field(field, strbuf_str(&list), format);
	}
	return r;
}
