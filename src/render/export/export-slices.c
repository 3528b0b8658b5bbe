/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/export/export-slices.h"

void slices_begin(struct slices *slices, struct export *export, nest_taker *opened,
		  nest_taker *closed)
{
	slices->export = export;
	nest_begin(&slices->nest, export->input, &slices->spans, opened, closed, export);
	slices->has_users = slices->nest.users.users != NULL;
	slices->nest.without_syscalls = !slices->has_users;
}

void slices_done(struct slices *slices)
{
	nest_done(&slices->nest);
	call_spans_done(&slices->spans);
}

static void export_slices_take(void *data, const struct decoded_event *decoded)
{
	struct slices *slices = data;
	enum nest_kind kind;

	/* Events derived from it are handled separately. */
	if (!nest_feed(&slices->nest, decoded, &kind) || decoded->event != slices->event)
		return;
	slices->is_slice = decoded->kind == DECODED_CALL || decoded->kind == DECODED_RETURN ||
			   decoded->kind == DECODED_USER;
	/* Calls that several buffers contain are shown once. */
	slices->export->left_out += decoded->kind == DECODED_CALL && kind == NEST_OTHER;
}

void slices_take_first(struct slices *slices, const struct fathom_event *event)
{
	nest_take_first(&slices->nest, event);
}

bool slices_take(struct slices *slices, const struct fathom_event *event)
{
	slices->event = event;
	slices->is_slice = false;
	nest_take(&slices->nest, event, export_slices_take, slices);
	return slices->is_slice;
}

const char *slices_category(const struct slices *slices, uint32_t frame)
{
	const struct func *func = nest_func(&slices->nest, frame);

	if (!func)
		return "syscall";
	return func->flags & FUNC_USER ? "user function" : "function";
}
