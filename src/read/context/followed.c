/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "read/context/followed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "read/context/notes.h"

static int followed_add_pids(int32_t **pids, size_t *n, size_t *cap, const char *text)
{
	char *end;

	for (text += strspn(text, " "); *text >= '0' && *text <= '9';
	     text = end + strspn(end, " ")) {
		unsigned long pid = strtoul(text, &end, 10);

		if (!pid || pid > INT32_MAX)
			continue;
		if (mem_reserve(pids, cap, *n + 1, sizeof(**pids)) < 0)
			return -ENOMEM;
		(*pids)[(*n)++] = (int32_t)pid;
	}
	return 0;
}

/* Returns whether the mask lacks any of @n_cpus CPUs; false if it is not a mask. */
static bool lacks_cpus(const struct note *mask, unsigned n_cpus)
{
	unsigned cpu = 0;

	for (size_t i = mask->value_len; i > 0; i--) {
		char c = mask->value[i - 1];
		int digit = str_hex_digit(c);

		if (c == ',') {
			/* Words may lack leading zeros. */
			for (; cpu % 32; cpu++)
				if (cpu < n_cpus)
					return true;
			continue;
		}
		if (digit < 0)
			return false;
		for (int bit = 0; bit < 4; bit++, cpu++)
			if (cpu < n_cpus && !(digit >> bit & 1))
				return true;
	}
	return cpu && cpu < n_cpus;
}

static int followed_compare(const void *pa, const void *pb)
{
	int32_t a = *(const int32_t *)pa, b = *(const int32_t *)pb;

	return (a > b) - (a < b);
}

static void followed_take_own_cpu(struct followed *followed, const char *text)
{
	double seconds;

	if (note_take_number(&text, "", 1e9, &seconds))
		followed->hidden_ns = (uint64_t)(seconds * 1e9);
}

int followed_read(const struct fathom_trace *trace, struct followed *ret_followed)
{
	struct followed followed = { 0 };
	struct note_place place = { 0 };
	struct note note;
	size_t cap = 0, cap_untraced = 0;
	int r = 0;

	while (r == 0 && notes_next(trace, &place, &note)) {
		if (note_is(&note, FOLLOWED_PIDS))
			r = followed_add_pids(&followed.pids, &followed.n, &cap, note.value);
		else if (note_is(&note, FOLLOWED_RECORDER) || note_is(&note, FOLLOWED_UNTRACED))
			r = followed_add_pids(&followed.untraced, &followed.n_untraced,
					      &cap_untraced, note.value);
		else if (note_is(&note, FOLLOWED_OWN_CPU))
			followed_take_own_cpu(&followed, note.value);
		else if (note_is(&note, FOLLOWED_CHILDREN))
			followed.children = str_after(note.value, "yes");
		else if (note_is(&note, FOLLOWED_CPUS))
			followed.some_cpus |= lacks_cpus(&note, fathom_trace_info(trace)->cpus);
	}
	if (r < 0) {
		followed_done(&followed);
		return r;
	}
	if (followed.n_untraced)
		qsort(followed.untraced, followed.n_untraced, sizeof(*followed.untraced),
		      followed_compare);
	*ret_followed = followed;
	return 0;
}

bool followed_leaves_out(const struct followed *followed, int32_t pid)
{
	const int32_t *pids = followed->untraced;
	size_t n = followed->n_untraced;

	/* Most tasks are none of the recorder's, whose PIDs are close to each other. */
	if (!n || pid < pids[0] || pid > pids[n - 1])
		return false;
	return bsearch(&pid, pids, n, sizeof(*pids), followed_compare);
}

void followed_done(struct followed *followed)
{
	free(followed->pids);
	free(followed->untraced);
	memset(followed, 0, sizeof(*followed));
}
