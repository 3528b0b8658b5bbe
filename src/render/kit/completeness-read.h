/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Determines what is missing from an answer, given the recording and the part of it that was read.
 */
#ifndef FATHOM_RENDER_KIT_COMPLETENESS_READ_H
#define FATHOM_RENDER_KIT_COMPLETENESS_READ_H

#include <fathom/cursor.h>
#include <fathom/trace.h>

#include "read/context/followed.h"
#include "render/kit/json-document.h"

/*
 * Fills in all but the lost events, which are known only after reading; @window NULL: the whole
 * recording.
 */
void completeness_begin(struct fathom_trace *trace, const struct fathom_window *window,
			const struct followed *followed, struct completeness *ret_completeness);
/* The same, for callers that have not read @followed. Returns 0 or -ENOMEM. */
int completeness_read(struct fathom_trace *trace, const struct fathom_window *window,
		      struct completeness *ret_completeness);

#endif
