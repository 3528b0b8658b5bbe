/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "format/event/prev-state.h"

#include <stdlib.h>
#include <string.h>

static const struct prev_states usual = { 8, { 'S', 'D', 'T', 't', 'X', 'Z', 'P', 'I' }, 0x100 };

/*
 * Parses one "{ 0x0001, "S" }" of the list. Returns where to look for the next one, or NULL at the
 * end.
 */
static const char *read_state(const char *p, const char *end, struct prev_states *states)
{
	const char *quote;
	uint64_t mask = 0;
	unsigned bit = 0;
	char *behind;

	p = memchr(p, '{', (size_t)(end - p));
	if (!p)
		return NULL;
	quote = memchr(p, '"', (size_t)(end - p));
	if (!quote || end - quote < 3)
		return NULL;
	/* The number is followed by other text, so this stops there. */
	mask = strtoull(p + 1, &behind, 0);
	while (mask && !(mask & 1)) {
		mask >>= 1;
		bit++;
	}
	if (mask && bit < PREV_STATE_BITS) {
		states->letters[bit] = quote[1];
		if (states->n <= bit)
			states->n = bit + 1;
	}
	return quote + 2;
}

/*
 * Finds the list of __print_flags() for prev_state in the print expression. The argument is some
 * variation of REC->prev_state: "REC->prev_state & ((((0x0...".
 */
static void prev_state_read_list(const struct event_format *format, struct prev_states *states)
{
	static const char call[] = "__print_flags(REC->prev_state";
	const char *start, *end;

	if (!format->print)
		return;
	start = memmem(format->print, format->print_len, call, strlen(call));
	if (!start)
		return;
	end = format->print + format->print_len;
	/* The list ends at the parenthesis that closes the call, which follows a "}". */
	for (const char *p = start; p + 1 < end; p++) {
		const char *q = p + 1;

		if (*p != '}')
			continue;
		while (q < end && *q == ' ')
			q++;
		if (q < end && *q == ')') {
			end = p;
			break;
		}
	}
	while (start)
		start = read_state(start, end, states);
}

void prev_states_read(const struct event_format *format, struct prev_states *ret_states)
{
	struct prev_states states = { 0 };

	prev_state_read_list(format, &states);
	if (!states.n) {
		*ret_states = usual;
		return;
	}
	/* Every kernel with this flag puts it directly above the bits with letters. */
	if (memmem(format->print, format->print_len, "\"+\"", 3))
		states.preempted = (uint64_t)1 << states.n;
	/* Stop at a bit without a letter, which would also end the string. */
	for (unsigned i = 0; i < states.n; i++)
		if (!states.letters[i])
			states.n = i;
	*ret_states = states;
}
