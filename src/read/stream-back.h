/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps back in a stream: the event before the head becomes the head. */
#ifndef FATHOM_READ_STREAM_BACK_H
#define FATHOM_READ_STREAM_BACK_H

#include "read/stream.h"

/*
 * Looks at the event before the head, and loads its page. Returns 1 and its converted time, 0 if
 * there is none, or -ENOMEM.
 */
int stream_peek_back(struct stream_pool *pool, struct stream *stream, uint64_t *ret_time);
/* Makes the event found by the last peek the head. Returns 0 or -ENOMEM. */
int stream_step_back(struct stream_pool *pool, struct stream *stream);

#endif
