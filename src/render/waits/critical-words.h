/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Words for what critical paths are made of, and their sums in the order of time. */
#ifndef FATHOM_RENDER_WAITS_CRITICAL_WORDS_H
#define FATHOM_RENDER_WAITS_CRITICAL_WORDS_H

#include "analyze/waits/critical.h"
#include "base/strbuf.h"

/* The path's task. */
uint32_t critical_task(const struct critical *critical);
/* "task". */
const char *critical_cause_word(enum critical_cause cause);
/* "other tasks that it waited for". */
const char *critical_cause_title(enum critical_cause cause);
/* "cat-231 runs in read". */
void critical_what_put(struct strbuf *buf, const struct critical *critical,
		       const struct critical_what *what);
/* "read"; nothing where it is not known. */
void critical_place_put(struct strbuf *buf, const struct critical *critical, uint32_t place);

struct critical_group {
	enum critical_cause cause;
	uint64_t total;
	const struct critical_sum **sums; /* the largest first */
	size_t n;
};

struct critical_table {
	struct critical_group groups[CAUSES]; /* the largest first */
	size_t n;
	const struct critical_sum **sums;
};

/* 0 or -ENOMEM. */
int critical_table_init(struct critical_table *table, const struct critical *critical);
void critical_table_done(struct critical_table *table);

#endif
