/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Replays as JSON and CSV: entries are numbered, and each has the number of the one that contains
 * it.
 */
#ifndef FATHOM_RENDER_TIME_REPLAY_DATA_H
#define FATHOM_RENDER_TIME_REPLAY_DATA_H

#include "render/time/replay-label.h"

/*
 * Writes a node at @level to the view's buffer, which the caller flushes. @parent is its number, or
 * -1.
 */
void replay_write_node(struct replay_view *view, const struct replay *replay, int32_t pid,
		       const struct replay_node *node, unsigned level, int64_t parent);

#endif
