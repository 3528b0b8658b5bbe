/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System calls as one would write them in C, for those who show calls in their own way: what the
 * last one of each task that has ended looks like. Memory is that of tasks and open files.
 */
#ifndef FATHOM_RENDER_TIME_CALL_TEXTS_H
#define FATHOM_RENDER_TIME_CALL_TEXTS_H

#include "analyze/syscalls/syscall-list.h"
#include "base/strbuf.h"

/* Zero-initialised is empty. It must stay where it is. */
struct call_texts {
	struct syscall_list list;
	struct u64_map pids; /* places in @texts */
	struct strbuf *texts;
	size_t n, cap;
	bool nomem;
};

/* To be fed with all events, in order of time, before those who ask. */
void call_texts_feed(struct call_texts *texts, const struct decoded_event *decoded);
/* The calls that are open have a text now. -ENOMEM when something is missing, else 0. */
int call_texts_finish(struct call_texts *texts);
/* "openat(AT_FDCWD, ...)"; "" when it is not known. By the pid that the task had when the call began. */
const char *call_texts_get(const struct call_texts *texts, int32_t pid);
/* By those who have asked. Forgets the call that it ends, if it does: the next one may have no text. */
void call_texts_clear(struct call_texts *texts, const struct decoded_event *decoded);
void call_texts_done(struct call_texts *texts);

#endif
