/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "read/followed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "format/trace-file.h"

static int add_pids(int32_t **pids, size_t *n, size_t *cap, const char *text)
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

int followed_read(const struct fathom_trace *trace, struct followed *ret_followed)
{
	struct followed followed = { 0 };
	struct fathom_trace_option option;
	size_t cap = 0, cap_untraced = 0;
	int r = 0;

	for (size_t i = 0; fathom_trace_option(trace, i, &option) == 0; i++) {
		const char *line = option.id == TRACE_ID_FATHOM_INFO ? option.data : NULL;

		for (; line && *line; line = *line ? strchrnul(line, '\n') : line) {
			const char *pids;

			line += *line == '\n';
			pids = str_after(line, FOLLOWED_PIDS);
			if (pids)
				r = add_pids(&followed.pids, &followed.n, &cap, pids);
			pids = str_after(line, FOLLOWED_UNTRACED);
			if (pids && r == 0)
				r = add_pids(&followed.untraced, &followed.n_untraced,
					     &cap_untraced, pids);
			if (r < 0) {
				followed_done(&followed);
				return r;
			}
			if (str_after(line, FOLLOWED_CHILDREN))
				followed.children = true;
		}
	}
	*ret_followed = followed;
	return 0;
}

void followed_done(struct followed *followed)
{
	free(followed->pids);
	free(followed->untraced);
	memset(followed, 0, sizeof(*followed));
}
