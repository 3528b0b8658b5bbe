/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the activity of tasks, in chronological order, as indented text, JSON or CSV. */
#ifndef FATHOM_RENDER_TIME_REPLAY_H
#define FATHOM_RENDER_TIME_REPLAY_H

#include "render/time/replay-label.h"

void replay_print_head(struct replay_view *view);
/* A callback for struct replay_options; @data is the struct replay_view. */
void replay_print_tree(void *data, const struct replay *replay, int32_t pid, uint32_t node);
/* Ends the output and releases the view. Returns 0 or -ENOMEM. */
int replay_print_end(struct replay_view *view);

#endif
