/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the files that render a summary. Private to summary*.c. */
#ifndef FATHOM_RENDER_COMMAND_SUMMARY_PARTS_H
#define FATHOM_RENDER_COMMAND_SUMMARY_PARTS_H

#include "render/command/summary.h"

struct summary_printing {
	struct summary *summary;
	const struct summary_about *about;
	struct out *out;
	struct strbuf line;
	bool nomem;
};

/* Sorts system calls, waits and wakers in the order in which they are shown. */
void summary_sort(struct summary *summary);
/* Prints the line without wrapping, and clears it. */
void summary_put_line(struct summary_printing *p, enum out_style style);
/* Prints the line wrapped, with all lines beginning in column @at, and clears it. */
void summary_put_words(struct summary_printing *p, unsigned at);
void summary_put_duration(struct summary_printing *p, uint64_t ns);
/*
 * Append the place of a wait: "in wait4", "in a page fault in read", "outside system calls"; the
 * second one without the first "in".
 */
void summary_put_wait_in(const struct summary *summary, const struct time_wait *wait,
			 struct strbuf *buf);
void summary_put_wait_place(const struct summary *summary, const struct time_wait *wait,
			    struct strbuf *buf);
/* Prints the rows with a label, from the waits on. */
void summary_print_rows(struct summary_printing *p);

#endif
