/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Replays for programs: JSON and CSV, each thing with the number of the one that it is in. */
#ifndef FATHOM_RENDER_TIME_REPLAY_DATA_H
#define FATHOM_RENDER_TIME_REPLAY_DATA_H

#include "render/time/replay-label.h"

/* A node, at its level below @parent, a number or -1. */
void replay_write_node(struct replay_view *view, const struct replay *replay, int32_t pid,
		       const struct replay_node *node, unsigned level, int64_t parent);

#endif
