/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What differs between two recordings, as lines that can be opened and closed: the system calls, the tree of
 * calls, and each function. The largest changes come first; of system calls, those that are made more or less often.
 */
#ifndef FATHOM_TUI_COMPARE_H
#define FATHOM_TUI_COMPARE_H

#include "render/command/diff.h"

enum compare_part {
	COMPARE_SYSCALLS,
	COMPARE_TREE,
	COMPARE_FUNCTIONS, /* one by one, whoever called them */
	COMPARE_PARTS,
};

struct compare_line {
	enum compare_part part;
	bool is_head; /* of the part */
	uint32_t at; /* of the list of system calls, or a node */
	unsigned level;
	bool has_inside; /* it can be opened */
	bool open;
};

/* What is compared; a part that one of the two does not have is left out. */
struct compare_input {
	const struct call_tree *tree, *flat; /* NULL: there is none */
	const struct syscalls *syscalls;
};

/* Zero-initialised is empty. */
struct compare {
	struct syscall_diff syscalls;
	struct call_diff calls[COMPARE_PARTS]; /* of the parts that are calls of functions */
	bool has[COMPARE_PARTS], open[COMPARE_PARTS];
	bool *open_nodes; /* of the tree */
	struct compare_line *lines;
	size_t n, cap;
};

/*
 * Both must outlive it. All parts are open, and the branch of the tree that explains most of the change.
 * 0 or -ENOMEM; then it is empty.
 */
int compare_make(struct compare *compare, const struct compare_input *before,
		 const struct compare_input *after);
void compare_done(struct compare *compare);
/* Opens or closes a line; the others move. 0 or -ENOMEM. */
int compare_turn(struct compare *compare, size_t line, bool open);
/* The line that this one is inside of; itself, if it is in none. */
size_t compare_parent(const struct compare *compare, size_t line);

/* What one of both has of a line. */
struct compare_sums {
	uint64_t count, total, median, max, failed;
	bool missing; /* it has none */
};

struct compare_values {
	int64_t change;
	struct compare_sums before, after;
	const char *verdict; /* see diff_verdict() */
	bool has_time; /* else all is 0: the times of these overlap */
	bool few; /* calls: too few to tell whether they are slower */
};
void compare_values(const struct compare *compare, const struct compare_line *line,
		    struct compare_values *ret_values);
void compare_put_name(const struct compare *compare, const struct compare_line *line,
		      struct strbuf *buf);

#endif
