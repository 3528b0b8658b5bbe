/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The text of system calls in C syntax, for exports that show calls: that of the last call that
 * each task completed. Uses memory for each task and each open file. Not thread-safe.
 */
#ifndef FATHOM_RENDER_TIME_CALL_TEXTS_H
#define FATHOM_RENDER_TIME_CALL_TEXTS_H

#include "analyze/syscalls/syscall-list.h"
#include "base/strbuf.h"

/* Empty when zero-initialized. Must not be moved once it was fed. */
struct call_texts {
	struct syscall_list list;
	struct u64_map pids; /* indices of @texts */
	struct strbuf *texts;
	size_t n, cap;
	bool nomem;
};

/* Takes all events, in chronological order. Must be fed before the consumers that request texts. */
void call_texts_feed(struct call_texts *texts, const struct decoded_event *decoded);
/* Ends the calls that are still open. Returns 0, or -ENOMEM if any text is missing. */
int call_texts_finish(struct call_texts *texts);
/*
 * Returns "openat(AT_FDCWD, ...)", or "" if it is unknown. @pid is the one that the task had when
 * the call began. Valid until the next feed.
 */
const char *call_texts_get(const struct call_texts *texts, int32_t pid);
/*
 * To be called by consumers once they have shown the call that @decoded ends, if any: discards its
 * text, because the next call may have none.
 */
void call_texts_clear(struct call_texts *texts, const struct decoded_event *decoded);
void call_texts_done(struct call_texts *texts);

#endif
