/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plain strings: comparing, splitting, and finding the word that was meant. */
#ifndef FATHOM_BASE_STR_H
#define FATHOM_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool str_eq(const char *a, const char *b)
{
	return __builtin_strcmp(a, b) == 0;
}

/* The rest of @s behind @prefix, or NULL when it does not begin with it. */
const char *str_after(const char *s, const char *prefix);
/* Does the list of words separated by any of @separators contain @word? */
bool str_has_word(const char *list, const char *separators, const char *word);
/*
 * The next line of *@text, which is cut there in place, or NULL at the end:
 *	for (char *line; (line = str_next_line(&text));)
 */
char *str_next_line(char **text);
/* The same for words separated by any of @separators; empty words are passed over. */
char *str_next_word(char **text, const char *separators);

/* What stands behind the last '/' of a path. */
static inline const char *str_base_name(const char *path)
{
	const char *slash = __builtin_strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The value of a hexadecimal digit; -1: it is none. */
static inline int str_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/*
 * Up to 16 hexadecimal digits at *@p, before @end, which is moved behind them. False: there is none.
 */
bool str_take_hex(const char **p, const char *end, uint64_t *ret_value);
/*
 * The value of the small-letter hexadecimal digits at *@p, which is moved behind them; for
 * text with hundreds of thousands of addresses. Leading digits beyond 64 bits are lost.
 */
static inline uint64_t str_hex(const char **p)
{
	uint64_t value = 0;

	for (;; (*p)++) {
		unsigned c = (unsigned char)**p;

		if (c - '0' < 10)
			value = value << 4 | (c - '0');
		else if (c - 'a' < 6)
			value = value << 4 | (c - 'a' + 10);
		else
			return value;
	}
}

/* Collects the candidate that is nearest to a mistyped word. */
struct nearest {
	const char *wanted;
	const char *best; /* points at the caller's candidate */
	unsigned distance;
};

void nearest_offer(struct nearest *nearest, const char *candidate);
/* The best candidate, or NULL when none is near enough to be what was meant. */
const char *nearest_pick(const struct nearest *nearest);

#endif
