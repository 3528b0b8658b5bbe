/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints individual system calls as lines of text, as JSON (one object per line) or as CSV. */
#ifndef FATHOM_RENDER_COMMAND_SYSCALL_LIST_H
#define FATHOM_RENDER_COMMAND_SYSCALL_LIST_H

#include "analyze/syscalls/syscall-list.h"
#include "read/context/tasks.h"
#include "render/kit/out.h"

enum syscall_list_form {
	SYSCALL_LIST_TEXT,
	SYSCALL_LIST_JSON, /* one document per line */
	SYSCALL_LIST_CSV,
};

struct syscall_list_view {
	enum syscall_list_form form;
	const struct tasks *tasks; /* for their names */
	bool raw_times; /* timestamps are not in nanoseconds */
	struct out *out;
	bool has_head; /* the titles were printed */
	struct strbuf line; /* reused for every call; released with strbuf_done() by the caller */
};

/* Prints a call, preceded by the titles if it is the first. Returns 0 or -ENOMEM. */
int syscall_list_print(struct syscall_list_view *view, const struct listed_call *call);
/*
 * Must be called after the last call. In JSON, prints a line that says what is missing. Returns 0
 * or -ENOMEM.
 */
int syscall_list_print_end(struct syscall_list_view *view);

#endif
