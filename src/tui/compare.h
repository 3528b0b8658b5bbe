/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The differences between two recordings as lines that can be opened and closed: system calls, the
 * call tree, and functions. The largest changes come first; of system calls, those that are made
 * more or less often. Times are in nanoseconds. Not thread-safe.
 */
#ifndef FATHOM_TUI_COMPARE_H
#define FATHOM_TUI_COMPARE_H

#include "analyze/compare/call-diff.h"
#include "analyze/compare/syscall-diff.h"
#include "base/strbuf.h"

enum compare_part {
	COMPARE_SYSCALLS,
	COMPARE_TREE,
	COMPARE_FUNCTIONS, /* each function, regardless of its callers */
	COMPARE_PARTS,
};

struct compare_line {
	enum compare_part part;
	bool is_head; /* of the part */
	uint32_t at; /* index of the system call, or a node */
	unsigned level;
	bool has_inside; /* it can be opened */
	bool open;
};

/* What to compare. Parts that one side lacks are left out. */
struct compare_input {
	const struct call_tree *tree, *flat; /* NULL: none */
	const struct syscalls *syscalls;
};

/* Empty when zero-initialized. Released with compare_done(). */
struct compare {
	struct syscall_diff syscalls;
	struct call_diff calls[COMPARE_PARTS]; /* of the parts with function calls */
	bool has[COMPARE_PARTS], open[COMPARE_PARTS];
	bool *open_nodes; /* of the tree */
	struct compare_line *lines;
	size_t n, cap;
};

/*
 * Compares @before with @after, which must outlive @compare. Opens all parts, and the branch of the
 * tree with most of the change. Returns 0, or -ENOMEM, in which case @compare is empty.
 */
int compare_make(struct compare *compare, const struct compare_input *before,
		 const struct compare_input *after);
void compare_done(struct compare *compare);
/*
 * Opens or closes a line; this invalidates the numbers of the lines after it. Returns 0 or -ENOMEM.
 */
int compare_turn(struct compare *compare, size_t line, bool open);
/* Returns the line that contains this one, or @line if there is none. */
size_t compare_parent(const struct compare *compare, size_t line);

/* The values of a line on one side. */
struct compare_sums {
	uint64_t count, total, median, max, failed;
	bool missing; /* not on this side */
};

struct compare_values {
	int64_t change;
	struct compare_sums before, after;
	const char *verdict; /* see diff_verdict(); "" if there is none */
	bool has_time; /* false: times are 0, because they would overlap */
	bool few; /* too few calls to compare their times */
};
void compare_values(const struct compare *compare, const struct compare_line *line,
		    struct compare_values *ret_values);
void compare_put_name(const struct compare *compare, const struct compare_line *line,
		      struct strbuf *buf);

#endif
