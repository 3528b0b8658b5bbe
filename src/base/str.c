/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/str.h"

#include <string.h>

/* Longer words are not compared: they are not typed by hand, and the table is on the stack. */
#define WORD_MAX 64

const char *str_after(const char *s, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(s, prefix, len) == 0 ? s + len : NULL;
}

bool str_has_word(const char *list, const char *separators, const char *word)
{
	size_t want = strlen(word);

	for (list += strspn(list, separators); *list; list += strspn(list, separators)) {
		size_t len = strcspn(list, separators);

		if (len == want && memcmp(list, word, len) == 0)
			return true;
		list += len;
	}
	return false;
}

char *str_next_line(char **text)
{
	char *line = *text;
	char *end;

	if (!line || !*line)
		return NULL;
	end = strchr(line, '\n');
	if (end)
		*end++ = '\0';
	*text = end;
	return line;
}

char *str_next_word(char **text, const char *separators)
{
	char *word = *text;
	size_t len;

	if (!word)
		return NULL;
	word += strspn(word, separators);
	if (!*word)
		return NULL;
	len = strcspn(word, separators);
	*text = word[len] ? word + len + 1 : NULL;
	word[len] = '\0';
	return word;
}

/*
 * Returns the number of letters to insert, delete, replace or swap with their neighbor to turn @a
 * into @b (optimal string alignment distance).
 */
static unsigned str_distance(const char *a, const char *b)
{
	unsigned rows[3][WORD_MAX + 1];
	unsigned *before = rows[0], *above = rows[1], *row = rows[2];
	size_t na = strlen(a), nb = strlen(b);

	if (na > WORD_MAX || nb > WORD_MAX)
		return WORD_MAX;
	for (size_t j = 0; j <= nb; j++)
		above[j] = (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		unsigned *spare = before;

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= nb; j++) {
			unsigned best = above[j - 1] + (a[i - 1] != b[j - 1]);

			if (above[j] + 1 < best)
				best = above[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    before[j - 2] + 1 < best)
				best = before[j - 2] + 1;
			row[j] = best;
		}
		before = above;
		above = row;
		row = spare;
	}
	return above[nb];
}

void nearest_offer(struct nearest *nearest, const char *candidate)
{
	unsigned d = str_distance(nearest->wanted, candidate);

	if (!nearest->best || d < nearest->distance) {
		nearest->best = candidate;
		nearest->distance = d;
	}
}

const char *nearest_pick(const struct nearest *nearest)
{
	size_t len = strlen(nearest->wanted);
	unsigned limit = len <= 3 ? 1 : len <= 6 ? 2 : 3;

	return nearest->best && nearest->distance <= limit ? nearest->best : NULL;
}

bool str_take_hex(const char **p, const char *end, uint64_t *ret_value)
{
	const char *start = *p;
	uint64_t value = 0;

	for (int digit; *p < end && *p - start < 16; (*p)++) {
		digit = str_hex_digit(**p);
		if (digit < 0)
			break;
		value = value << 4 | (unsigned)digit;
	}
	if (*p == start)
		return false;
	*ret_value = value;
	return true;
}
