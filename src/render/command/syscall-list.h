/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* System calls one by one: a line of text each, an object of JSON each, or a row of CSV. */
#ifndef FATHOM_RENDER_COMMAND_SYSCALL_LIST_H
#define FATHOM_RENDER_COMMAND_SYSCALL_LIST_H

#include "analyze/syscalls/syscall-list.h"
#include "read/context/tasks.h"
#include "render/kit/out.h"

enum syscall_list_form {
	SYSCALL_LIST_TEXT,
	SYSCALL_LIST_JSON, /* one document a line */
	SYSCALL_LIST_CSV,
};

struct syscall_list_view {
	enum syscall_list_form form;
	const struct tasks *tasks; /* their names */
	bool raw_times; /* times are no nanoseconds */
	struct out *out;
	bool has_head; /* the line above the first row is there */
	struct strbuf line; /* kept from call to call; to be freed with strbuf_done() */
};

/* One call, below a line of titles when it is the first. 0 or -ENOMEM. */
int syscall_list_print(struct syscall_list_view *view, const struct listed_call *call);

#endif
