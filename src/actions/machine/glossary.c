/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/machine/glossary.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#define BOLD "**"

/* Returns whether @term is in @terms, a comma-separated list that ends before the asterisks. */
static bool glossary_has_term(const char *terms, const char *term)
{
	size_t wanted = strlen(term);

	for (;;) {
		size_t len = strcspn(terms, ",*");

		if (len && len == wanted && strncasecmp(terms, term, len) == 0)
			return true;
		if (terms[len] != ',')
			return false;
		terms += len;
		terms += strspn(terms, ", ");
	}
}

/* Returns whether the code after the backtick at @text contains a blank. */
static bool glossary_code_has_blank(const char *text, const char *end)
{
	const char *code_end = memchr(text + 1, '`', (size_t)(end - text - 1));

	return code_end && memchr(text, ' ', (size_t)(code_end - text));
}

/* Puts code of several words in quotes. Asterisks in code are plain text. */
static void glossary_add_plain(const char *text, const char *end, struct strbuf *buf)
{
	bool is_code = false, is_quoted = false;

	for (; text < end; text++) {
		if (*text == '`') {
			is_code = !is_code;
			if (is_code)
				is_quoted = glossary_code_has_blank(text, end);
			if (is_quoted)
				strbuf_addc(buf, '\'');
		} else if (*text == '\n') {
			strbuf_addc(buf, ' ');
		} else if (*text != '*' || is_code) {
			strbuf_addc(buf, *text);
		}
	}
}

int glossary_find(const char *glossary, const char *term, struct strbuf *ret_terms,
		  struct strbuf *ret_text)
{
	for (const char *at = glossary; (at = strstr(at, "\n" BOLD));) {
		const char *terms = at + strlen("\n" BOLD), *text = strstr(terms, BOLD), *end;

		if (!text)
			return 0;
		at = text;
		if (!glossary_has_term(terms, term))
			continue;
		strbuf_add(ret_terms, terms, (size_t)(text - terms));
		text += strlen(BOLD);
		text += strspn(text, " \n");
		end = strstr(text, "\n\n") ?: text + strlen(text);
		while (end > text && end[-1] == '\n')
			end--;
		glossary_add_plain(text, end, ret_text);
		return ret_terms->err || ret_text->err ? -ENOMEM : 1;
	}
	return 0;
}
