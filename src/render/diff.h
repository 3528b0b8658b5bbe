/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What differs between two trees of calls, as text, JSON or CSV; the largest changes come first. */
#ifndef FATHOM_RENDER_DIFF_H
#define FATHOM_RENDER_DIFF_H

#include "analyze/call-diff.h"
#include "analyze/syscall-diff.h"
#include "render/json.h"
#include "render/out.h"

struct diff_options {
	unsigned depth; /* levels that are shown; 0: all */
	unsigned min_permille; /* of all time: changes below are folded into one line */
	unsigned rows; /* at each level; 0: all */
	bool flat; /* functions side by side: their times overlap */
};

/* Each returns 0 or -ENOMEM. */
int diff_print(const struct call_diff *diff, const struct diff_options *options, struct out *out);
int diff_print_csv(const struct call_diff *diff, struct out *out);
/* The same for system calls. */
int syscall_diff_print(const struct syscall_diff *diff, const struct diff_options *options,
		       struct out *out);
int syscall_diff_print_csv(const struct syscall_diff *diff, struct out *out);
/* Both in one document; what is NULL is not there. */
int diff_print_json(const struct call_diff *diff, const struct syscall_diff *syscalls,
		    struct out *out);
/* Adds the array "syscalls". */
void syscall_diff_json(const struct syscall_diff *diff, struct json *json);

/* "slower", "faster", "new", "gone", or "" when calls took as long as before, as far as one can tell. */
const char *diff_verdict(const struct call_diff *diff, uint32_t node);
/* The same for anything that was there so often @before and @after. */
const char *diff_verdict_of(uint64_t before, uint64_t after, const struct spread *times_before,
			    const struct spread *times_after);
/* The same for a system call; and its name, or its number. */
const char *syscall_diff_verdict(const struct syscall_change *change);
void syscall_diff_put_name(const struct syscall_change *change, struct strbuf *buf);
/* The children of a node, the largest changes first, in a new array. -ENOMEM, or how many. */
int diff_children(const struct call_diff *diff, uint32_t node, uint32_t **ret_list);
/* The child that makes up more than half of a change of this node; CALL_NONE: there is none. */
uint32_t diff_main_child(const struct call_diff *diff, uint32_t node, int64_t change);
/* How a name is shown of which that is said. */
enum out_style diff_style(const char *verdict);
/* A column with "+1.23 ms", 11 characters wide; '.' when there is no change. */
void diff_put_change(struct strbuf *buf, int64_t change);

#endif
