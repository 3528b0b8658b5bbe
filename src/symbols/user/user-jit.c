/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The text in which JIT compilers list names for perf. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "symbols/user/user-symbols.h"

/* Parses the hexadecimal number at *@p and the blank after it; false: there is none. */
static bool user_jit_read_hex(const char **p, const char *end, uint64_t *ret_value)
{
	if (end - *p > 2 && (*p)[0] == '0' && ((*p)[1] | 0x20) == 'x')
		*p += 2;
	if (!str_take_hex(p, end, ret_value) || *p == end || **p != ' ')
		return false;
	(*p)++;
	return true;
}

static int user_jit_add_line(struct symbol_builder *builder, const char *p, const char *end)
{
	struct symbol_input input = { .rank = SYMBOL_FUNCTION | SYMBOL_STRONG };
	size_t len;
	int r;

	if (!user_jit_read_hex(&p, end, &input.start) || !user_jit_read_hex(&p, end, &input.size) ||
	    p == end || !input.size || memchr(p, '\0', (size_t)(end - p)))
		return 0;
	len = (size_t)(end - p);
	r = symbol_builder_strings(builder, p, len < SYMBOL_NAME_MAX ? len : SYMBOL_NAME_MAX - 1,
				   false, &input.name);
	return r < 0 ? r : symbol_builder_add(builder, &input);
}

int user_jit_add_text(struct symbol_builder *builder, const char *text, size_t len)
{
	const char *end = text + len;
	int r = 0;

	while (r == 0 && text < end) {
		const char *eol = memchr(text, '\n', (size_t)(end - text));

		r = user_jit_add_line(builder, text, eol ? eol : end);
		text = eol ? eol + 1 : end;
	}
	/* Drop symbols beyond the capacity of a table. */
	return r == -EFBIG ? 0 : r;
}

int user_jit_parse(const char *text, size_t len, struct symbol_table *ret_table)
{
	_cleanup_symbol_builder_ struct symbol_builder builder = { 0 };
	int r = user_jit_add_text(&builder, text, len);

	return r < 0 ? r : symbol_builder_finish(&builder, ret_table);
}
