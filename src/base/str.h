/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions for NUL-terminated strings: comparison, splitting, and suggestions for mistyped words.
 */
#ifndef FATHOM_BASE_STR_H
#define FATHOM_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool str_eq(const char *a, const char *b)
{
	return __builtin_strcmp(a, b) == 0;
}

/* Returns the part of @s after @prefix, or NULL if @s does not start with it. */
const char *str_after(const char *s, const char *prefix);
/* Returns whether @list, words separated by any of @separators, contains @word. */
bool str_has_word(const char *list, const char *separators, const char *word);
/*
 * Returns the next line of *@text, which is cut there in place, or NULL at the end:
 *
 *	for (char *line; (line = str_next_line(&text));)
 */
char *str_next_line(char **text);
/* The same for words separated by any of @separators. Empty words are skipped. */
char *str_next_word(char **text, const char *separators);

/* Returns the last component of a path. */
static inline const char *str_base_name(const char *path)
{
	const char *slash = __builtin_strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Returns the value of a hexadecimal digit, or -1. */
static inline int str_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/*
 * Reads up to 16 hexadecimal digits at *@p, which ends at @end, and advances *@p. Returns false if
 * there are none.
 */
bool str_take_hex(const char **p, const char *end, uint64_t *ret_value);
/*
 * Reads lower-case hexadecimal digits at *@p and advances it. For text with hundreds of thousands
 * of addresses. Overflow is not detected: leading digits are lost.
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

/* Finds the candidate that is most similar to a mistyped word. */
struct nearest {
	const char *wanted;
	const char *best; /* points at the caller's candidate */
	unsigned distance;
};

void nearest_offer(struct nearest *nearest, const char *candidate);
/* Returns the best candidate, or NULL if none is similar enough. */
const char *nearest_pick(const struct nearest *nearest);

#endif
