/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "call-text.h"

#include <inttypes.h>

static void put_node(const struct call_node *node, const char *name, int depth, struct strbuf *text)
{
	strbuf_addf(text,
		    "%*s%s %" PRIu64 "+%" PRIu64 " total %" PRIu64 " own %" PRIu64
		    " stolen %" PRIu64 " asleep %" PRIu64,
		    depth, "", name, node->count, node->cut, node->times.total, node->times.own,
		    node->times.stolen, node->times.asleep);
	if (node->cut_inner.total)
		strbuf_addf(text, " and %" PRIu64, node->cut_inner.total);
	if (node->results)
		strbuf_addf(text, " failed %" PRIu64 " of %" PRIu64, node->failed, node->results);
	for (size_t i = 0; node->errors && i < node->errors->n; i++)
		strbuf_addf(text, " %" PRId64 " x %" PRIu64, node->errors->list[i].code,
			    node->errors->list[i].count);
	strbuf_addc(text, '\n');
}

static void put_nodes(const struct call_tree *tree, uint32_t at, int depth, struct strbuf *text)
{
	for (at = tree->nodes[at].child; at != CALL_NONE; at = tree->nodes[at].sibling) {
		const struct call_node *node = &tree->nodes[at];

		if (node->count || node->cut)
			put_node(node, tree->funcs.list[node->func].name, depth, text);
		put_nodes(tree, at, depth + 1, text);
	}
}

void call_text(const struct call_tree *tree, struct strbuf *text)
{
	put_nodes(tree, CALL_ROOT, 0, text);
}
