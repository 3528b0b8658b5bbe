/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stepping back in a stream: to the event before the head, which then is the head. */
#ifndef FATHOM_READ_STREAM_BACK_H
#define FATHOM_READ_STREAM_BACK_H

#include "read/stream.h"

/*
 * Looks at the event before the head: 1, and its time, converted. 0 when there is none. -ENOMEM.
 * Its page becomes the loaded one.
 */
int stream_peek_back(struct stream_pool *pool, struct stream *stream, uint64_t *ret_time);
/* After a peek that found one: that event becomes the head. 0 or -ENOMEM. */
int stream_step_back(struct stream_pool *pool, struct stream *stream);

#endif
