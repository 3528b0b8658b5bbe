/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What tasks did, one thing after the other, as indented text, JSON or CSV. */
#ifndef FATHOM_RENDER_TIME_REPLAY_H
#define FATHOM_RENDER_TIME_REPLAY_H

#include "render/time/replay-label.h"

void replay_print_head(struct replay_view *view);
/* For struct replay_options; @data is the view. */
void replay_print_tree(void *data, const struct replay *replay, int32_t pid, uint32_t node);
/* 0 or -ENOMEM; the view is empty then. */
int replay_print_end(struct replay_view *view);

#endif
