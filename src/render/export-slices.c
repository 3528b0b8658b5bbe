/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/export-slices.h"

void slices_begin(struct slices *slices, struct export *export, nest_taker *opened,
		  nest_taker *closed)
{
	slices->export = export;
	nest_begin(&slices->nest, export->input->report, opened, closed, export);
	slices->is_on = slices->nest.users.users != NULL;
}

static void take(void *data, const struct happening *happening)
{
	struct slices *slices = data;
	enum nest_kind kind;

	/* What is made of it has an event of its own. */
	if (!nest_feed(&slices->nest, happening, &kind) || happening->event != slices->event)
		return;
	slices->is_told = happening->kind == HAPPENING_CALL ||
			  happening->kind == HAPPENING_RETURN || happening->kind == HAPPENING_USER;
	/* Calls that are in several buffers are shown once. */
	slices->export->left_out += happening->kind == HAPPENING_CALL && kind == NEST_OTHER;
}

bool slices_take(struct slices *slices, const struct fathom_event *event)
{
	if (!slices->is_on)
		return false;
	slices->event = event;
	slices->is_told = false;
	nest_take(&slices->nest, event, take, slices);
	return slices->is_told;
}

const char *slices_category(const struct slices *slices, uint32_t frame)
{
	uint32_t func = slices->nest.frames[frame].func;

	if (func == FUNC_NONE)
		return "syscall";
	return slices->nest.funcs.list[func].flags & FUNC_USER ? "user function" : "function";
}
