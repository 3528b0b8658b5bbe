/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* System calls as a table, JSON or CSV; those that took longest come first. */
#ifndef FATHOM_RENDER_SYSCALLS_H
#define FATHOM_RENDER_SYSCALLS_H

#include "analyze/syscalls.h"
#include "base/strbuf.h"
#include "render/out.h"

enum syscalls_order {
	SYSCALLS_BY_TOTAL,
	SYSCALLS_BY_COUNT,
	SYSCALLS_BY_ERRORS,
	SYSCALLS_BY_MAX,
	SYSCALLS_BY_NAME,
};

/* Each sorts the list first. 0 or -ENOMEM. */
int syscalls_print(struct syscalls *syscalls, enum syscalls_order order, struct out *out);
int syscalls_print_json(struct syscalls *syscalls, enum syscalls_order order, struct out *out);
int syscalls_print_csv(struct syscalls *syscalls, enum syscalls_order order, struct out *out);

/* "ENOENT", or "error 512" for those that programs never see; "others" for 0. */
void syscalls_put_error(struct strbuf *buf, int64_t code);

#endif
