/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The arguments of markers: the note of a marker contains their locations and sizes. */
#include "symbols/probe/probe-parts.h"

#include <inttypes.h>

#include "base/err.h"
#include "symbols/probe/usdt.h"

/* Returns the type of an integer. */
static int probe_marker_number_type(const struct probe_lowering *l,
				    const struct usdt_argument *argument, struct probe_shape *ret)
{
	static const char *const names[2][4] = { { "u8", "u16", "u32", "u64" },
						 { "s8", "s16", "s32", "s64" } };
	size_t i = argument->size == 1 ? 0 : argument->size == 2 ? 1 : argument->size == 4 ? 2 : 3;
	int r = types_find(l->machine->types, NULL, names[argument->is_signed][i], &ret->type);

	return r < 0 ? err_nomem(l->err) : 0;
}

int probe_marker_value(const struct probe_lowering *l, const struct probe_node *node, int64_t n,
		       struct probe_value *ret)
{
	const struct probe_site *site = l->machine->site;
	unsigned count = usdt_count_arguments(site->arguments);
	struct usdt_argument argument;
	const char *why = "";
	int r;

	*ret = (struct probe_value){ .node = node };
	if (n > count)
		return complain(l, node->at, "the marker has %u argument%s", count,
				count == 1 ? "" : "s");
	r = usdt_find_argument(site->arguments, site->machine, (unsigned)n - 1, &argument, &why);
	if (r < 0)
		return complain(l, node->at, "argument not available: %s", why);
	r = probe_marker_number_type(l, &argument, &ret->shape);
	if (r < 0)
		return r;
	if (argument.operand == USDT_NUMBER) {
		ret->base = arena_printf(l->arena, "\\%" PRId64, argument.number);
	} else {
		ret->base = arena_printf(l->arena, "%%%s", argument.base);
		ret->in_memory = argument.operand == USDT_MEMORY;
		ret->offset = ret->in_memory ? argument.number : 0;
	}
	return ret->base ? 0 : err_nomem(l->err);
}

int probe_marker_args(const struct probe_lowering *l, const struct probe_arg **ret_args)
{
	const struct probe_site *site = l->machine->site;
	unsigned n = usdt_count_arguments(site->arguments);
	struct probe_arg *args = arena_zalloc(l->arena, n + 1, sizeof(*args)), *last = NULL;
	struct probe_node *nodes = arena_zalloc(l->arena, n + 1, sizeof(*nodes));

	if (!args || !nodes)
		return err_nomem(l->err);
	for (unsigned i = 0; i < n; i++) {
		struct usdt_argument argument;
		const char *why;

		if (usdt_find_argument(site->arguments, site->machine, i, &argument, &why) < 0)
			continue;
		nodes[i] = (struct probe_node){ .op = NODE_ARG,
						.at = l->probe->function_at,
						.number = i + 1,
						.name = arena_printf(l->arena, "arg%u", i + 1) };
		if (!nodes[i].name)
			return err_nomem(l->err);
		args[i].node = &nodes[i];
		if (last)
			last->next = &args[i];
		else
			*ret_args = &args[i];
		last = &args[i];
	}
	return 0;
}
