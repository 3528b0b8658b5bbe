/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The wording of critical paths, shared by all outputs, and their sums, grouped by cause. Words are
 * static strings; critical_..._put() append to a strbuf.
 */
#ifndef FATHOM_RENDER_WAITS_CRITICAL_WORDS_H
#define FATHOM_RENDER_WAITS_CRITICAL_WORDS_H

#include "analyze/waits/critical.h"
#include "base/strbuf.h"

/* Returns the index of the task whose path this is, or TASK_NONE. */
uint32_t critical_task(const struct critical *critical);
/* For machine-readable output: "task". */
const char *critical_cause_word(enum critical_cause cause);
/* For text: "work of other tasks". */
const char *critical_cause_title(enum critical_cause cause);
/* Appends "cat-231 runs in read". */
void critical_what_put(struct strbuf *buf, const struct critical *critical,
		       const struct critical_what *what);
/* Appends "read", or nothing if the place is unknown. */
void critical_place_put(struct strbuf *buf, const struct critical *critical, uint32_t place);

struct critical_group {
	enum critical_cause cause;
	uint64_t total;
	const struct critical_sum **sums; /* the largest first; points into struct critical_table */
	size_t n;
};

struct critical_table {
	struct critical_group groups[CAUSES]; /* the largest first */
	size_t n;
	const struct critical_sum **sums;
};

/* Groups the sums of @critical, which must outlive the table. Returns 0 or -ENOMEM. */
int critical_table_init(struct critical_table *table, const struct critical *critical);
void critical_table_done(struct critical_table *table);

#endif
