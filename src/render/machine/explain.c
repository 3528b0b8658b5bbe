/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/machine/explain.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/quote.h"
#include "base/str.h"
#include "render/kit/amount.h"
#include "render/kit/duration.h"
#include "render/kit/json-document.h"
#include "render/time/tree.h"

/* The number of callers, and of called functions, that are shown. */
#define ROWS 10

void explanation_done(struct explanation *explanation)
{
	call_tree_done(&explanation->callers);
	call_tree_done(&explanation->below);
	free(explanation->symbols);
	free(explanation->events);
	free(explanation->sources);
	arena_done(&explanation->arena);
	memset(explanation, 0, sizeof(*explanation));
}

static const char *symbol_word(char type)
{
	switch (type) {
	case 't':
	case 'T':
	case 'w':
	case 'W':
		return "function";
	default:
		return "data";
	}
}

static const char *answer_word(enum explained_answer answer)
{
	return answer == EXPLAINED_YES ? "yes" : answer == EXPLAINED_NO ? "no" : "?";
}

static enum out_style answer_style(enum explained_answer answer)
{
	return answer == EXPLAINED_YES ? OUT_GOOD : answer == EXPLAINED_NO ? OUT_WARN : OUT_FAINT;
}

/* Prints each line of @text indented; source code contains tabs. */
static void explain_put_lines(struct out *out, enum out_style style, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		quote_printf(out->stream, "%s  ", style ? out_style(out, style) : "");
		quote_print_bytes(out->stream, text, len);
		quote_printf(out->stream, "%s\n", style ? out_style(out, OUT_PLAIN) : "");
		text += len + (text[len] == '\n');
	}
}

static void print_symbols(const struct explanation *e, struct out *out)
{
	for (size_t i = 0; i < e->n_symbols; i++) {
		const struct explained_symbol *s = &e->symbols[i];

		out_printf(out, OUT_PLAIN, "  %-8s  ", symbol_word(s->type));
		if (s->address)
			out_printf(out, OUT_PLAIN, "%016" PRIx64, s->address);
		else
			out_printf(out, OUT_FAINT, "%-16s", "(hidden)");
		out_printf(out, OUT_NAME, "  %s", s->name);
		if (s->module)
			out_printf(out, OUT_PLAIN, " [%s]", s->module);
		if (s->traceable == EXPLAINED_NO && str_eq(symbol_word(s->type), "function"))
			out_printf(out, OUT_WARN, "  cannot be traced");
		if (s->traceable == EXPLAINED_UNKNOWN && e->n_ways &&
		    e->ways[0].answer == EXPLAINED_YES)
			out_printf(out, OUT_FAINT,
				   "  not every function of this name can be traced");
		out_printf(out, OUT_PLAIN, "\n");
	}
}

static void explain_print_events(const struct explanation *e, struct out *out)
{
	for (size_t i = 0; i < e->n_events; i++) {
		const struct explained_event *event = &e->events[i];

		out_printf(out, OUT_TITLE, "\nevent %s:%s\n", event->system, event->name);
		for (size_t k = 0; k < event->n_fields; k++)
			out_printf(out, OUT_PLAIN, "  %s\n", event->fields[k]);
		out_printf(out, OUT_FAINT, "  fathom record -e %s:%s\n", event->system,
			   event->name);
	}
}

static void print_sources(const struct explanation *e, struct out *out)
{
	if (!e->n_sources && !e->link)
		return;
	out_printf(out, OUT_TITLE, "\nsource\n");
	for (size_t i = 0; i < e->n_sources; i++) {
		const struct explained_source *s = &e->sources[i];

		out_printf(out, OUT_NAME, "  %s", s->file);
		if (s->line)
			out_printf(out, OUT_NAME, ":%u", s->line);
		out_printf(out, OUT_FAINT, "  (from %s)\n", s->by);
		if (s->text)
			explain_put_lines(out, OUT_PLAIN, s->text);
		if (s->is_readable && s->line && !i)
			out_printf(out, OUT_FAINT, "  %s +%u %s\n", getenv("EDITOR") ?: "vi",
				   s->line, s->file);
	}
	if (e->link)
		out_printf(out, OUT_PLAIN, "  %s\n", e->link);
}

static void print_ways(const struct explanation *e, struct out *out)
{
	if (!e->n_ways)
		return;
	out_printf(out, OUT_TITLE, "\ntracing on this machine\n");
	for (size_t i = 0; i < e->n_ways; i++) {
		const struct explained_way *way = &e->ways[i];

		out_printf(out, OUT_PLAIN, "  %-16s ", way->name);
		out_printf(out, answer_style(way->answer), "%-3s ", answer_word(way->answer));
		out_printf(out, OUT_PLAIN, " %s\n", way->text);
	}
}

/* Prints the children of the function's node. */
static int print_calls_of(const struct call_tree *tree, uint32_t node, const char *title,
			  struct out *out)
{
	const struct tree_options options = { .rows = ROWS, .order = TREE_BY_COUNT };
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	_cleanup_free_ uint32_t *list = NULL;
	struct call_node folded;
	size_t n_folded;
	int n = tree_children(tree, node, &options, &list, &folded, &n_folded);

	if (n <= 0)
		return n;
	if (title)
		quote_addf(&buf, "  %s\n", title);
	for (int i = 0; i < n; i++) {
		const struct call_node *child = &tree->nodes[list[i]];

		quote_addf(&buf, "    %8" PRIu64 " ", child->count + child->cut);
		duration_put(&buf, child->times.total);
		strbuf_adds(&buf, "  ");
		tree_put_name(tree, child->func, &buf);
		strbuf_addc(&buf, '\n');
	}
	if (folded.count)
		quote_addf(&buf, "    %8" PRIu64 "             %zu others\n", folded.count,
			   n_folded);
	return out_write(out, &buf);
}

/* Prints the number of calls whose caller is unknown. */
static int print_outermost(const struct call_tree *tree, uint32_t node, struct out *out)
{
	const struct call_node *n = &tree->nodes[node];
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	uint64_t known = 0;

	for (uint32_t at = n->child; at != CALL_NONE; at = tree->nodes[at].sibling)
		known += tree->nodes[at].count + tree->nodes[at].cut;
	if (known < n->count + n->cut)
		quote_addf(&buf, "    %8" PRIu64 "             (the caller was not recorded)\n",
			   n->count + n->cut - known);
	return out_write(out, &buf);
}

static void explain_put_call(const struct call_tree *tree, const struct call_node *n,
			     struct strbuf *buf)
{
	char total[DURATION_SIZE], own[DURATION_SIZE], max[DURATION_SIZE];

	strbuf_adds(buf, "  ");
	tree_put_name(tree, n->func, buf);
	if (n->count) {
		strbuf_adds(buf, ": ");
		amount_put_count(buf, n->count, "call", "calls");
		quote_addf(buf, ", total %s, self %s, maximum %s",
			   duration_text(n->times.total, total), duration_text(n->times.own, own),
			   duration_text(n->max, max));
	}
	if (n->cut)
		quote_addf(buf, "%s %" PRIu64 " that started or ended outside the recording",
			   n->count ? ", and" : ":", n->cut);
	strbuf_addc(buf, '\n');
}

/* @node is the function's node in both trees: callers and callees. */
static int explain_print_call(const struct explanation *e, uint32_t node, struct out *out)
{
	const struct call_tree *callers = &e->callers, *below = &e->below;
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	int r;

	explain_put_call(callers, &callers->nodes[node], &buf);
	strbuf_adds(&buf, "  called by (calls, time)\n");
	r = out_write(out, &buf);
	if (r >= 0)
		r = print_calls_of(callers, node, NULL, out);
	if (r >= 0)
		r = print_outermost(callers, node, out);
	for (uint32_t at = below->nodes[CALL_ROOT].child; at != CALL_NONE && r >= 0;
	     at = below->nodes[at].sibling)
		if (below->funcs.list[below->nodes[at].func].address ==
		    callers->funcs.list[callers->nodes[node].func].address)
			r = print_calls_of(below, at, "calls", out);
	return r;
}

static int print_trace(const struct explanation *e, struct out *out)
{
	int r = 0;

	if (!e->trace)
		return 0;
	out_printf(out, OUT_PLAIN, "\n");
	out_printf(out, OUT_TITLE, "in '%s'\n", e->trace);
	if (e->no_calls) {
		out_printf(out, OUT_PLAIN, "  %s\n", e->no_calls);
		return 0;
	}
	for (uint32_t at = e->callers.nodes[CALL_ROOT].child; at != CALL_NONE && r >= 0;
	     at = e->callers.nodes[at].sibling)
		r = explain_print_call(e, at, out);
	return r < 0 ? r : 0;
}

static void print_meaning(const struct explanation *e, struct out *out)
{
	out_printf(out, OUT_TITLE, "%s\n", e->terms);
	out_printf(out, OUT_PLAIN, "  ");
	out_wrap(out, 2, 2, e->meaning);
	if (!e->only_meaning)
		out_printf(out, OUT_PLAIN, "\n");
}

int explain_print(const struct explanation *e, struct out *out)
{
	int r;

	if (e->meaning)
		print_meaning(e, out);
	if (e->only_meaning)
		return 0;
	out_printf(out, OUT_TITLE, "%s", e->name);
	if (e->release)
		out_printf(out, OUT_FAINT, "  in Linux %s%s", e->release,
			   e->is_syscall ? ", a system call" : "");
	out_printf(out, OUT_PLAIN, "\n");
	if (e->prototypes)
		explain_put_lines(out, OUT_PLAIN, e->prototypes);
	if (e->no_prototype)
		out_printf(out, OUT_FAINT, "  (no prototype: %s)\n", e->no_prototype);
	print_symbols(e, out);
	print_ways(e, out);
	explain_print_events(e, out);
	print_sources(e, out);
	r = print_trace(e, out);
	if (*e->notes) {
		out_printf(out, OUT_PLAIN, "\n");
		explain_put_lines(out, OUT_FAINT, e->notes);
	}
	return r;
}

static void explain_put_answer(struct json *json, const char *key, enum explained_answer answer)
{
	if (answer == EXPLAINED_UNKNOWN)
		json_null(json, key);
	else
		json_bool(json, key, answer == EXPLAINED_YES);
}

static void json_symbols(const struct explanation *e, struct json *json)
{
	char address[32];

	json_begin_array(json, "symbols");
	for (size_t i = 0; i < e->n_symbols; i++) {
		const struct explained_symbol *s = &e->symbols[i];

		json_begin_object(json, NULL);
		json_string(json, "name", s->name);
		json_string(json, "module", s->module);
		snprintf(address, sizeof(address), "0x%" PRIx64, s->address);
		json_string(json, "address", s->address ? address : NULL);
		json_string(json, "kind", symbol_word(s->type));
		explain_put_answer(json, "traceable", s->traceable);
		json_end_object(json);
	}
	json_end_array(json);
}

static void json_ways(const struct explanation *e, struct json *json)
{
	json_begin_array(json, "ways");
	for (size_t i = 0; i < e->n_ways; i++) {
		bool works = e->ways[i].answer == EXPLAINED_YES;

		json_begin_object(json, NULL);
		json_string(json, "name", e->ways[i].name);
		explain_put_answer(json, "works", e->ways[i].answer);
		json_string(json, works ? "command" : "reason", e->ways[i].text);
		json_end_object(json);
	}
	json_end_array(json);
}

static void json_events(const struct explanation *e, struct json *json)
{
	json_begin_array(json, "events");
	for (size_t i = 0; i < e->n_events; i++) {
		json_begin_object(json, NULL);
		json_string(json, "system", e->events[i].system);
		json_string(json, "name", e->events[i].name);
		json_begin_array(json, "fields");
		for (size_t k = 0; k < e->events[i].n_fields; k++)
			json_string(json, NULL, e->events[i].fields[k]);
		json_end_array(json);
		json_end_object(json);
	}
	json_end_array(json);
}

static void json_sources(const struct explanation *e, struct json *json)
{
	json_begin_array(json, "sources");
	for (size_t i = 0; i < e->n_sources; i++) {
		json_begin_object(json, NULL);
		json_string(json, "file", e->sources[i].file);
		json_u64(json, "line", e->sources[i].line);
		json_string(json, "by", e->sources[i].by);
		json_end_object(json);
	}
	json_end_array(json);
	json_string(json, "link", e->link);
}

/* Writes the functions one level below the one that is explained. */
static void json_below(const struct call_tree *tree, const char *key, struct json *json)
{
	_cleanup_strbuf_ struct strbuf name = { 0 };

	json_begin_array(json, key);
	for (uint32_t at = tree->nodes[CALL_ROOT].child; at != CALL_NONE;
	     at = tree->nodes[at].sibling)
		for (uint32_t in = tree->nodes[at].child; in != CALL_NONE;
		     in = tree->nodes[in].sibling) {
			const struct call_node *node = &tree->nodes[in];

			strbuf_clear(&name);
			tree_put_name(tree, node->func, &name);
			json_begin_object(json, NULL);
			json_string(json, "name", strbuf_str(&name));
			json_u64(json, "call_count", node->count);
			json_u64(json, "incomplete_count", node->cut);
			json_u64(json, "total_ns", node->times.total);
			json_end_object(json);
		}
	json_end_array(json);
}

static void json_trace(const struct explanation *e, struct json *json)
{
	struct call_node sum = { 0 };

	if (!e->trace) {
		json_null(json, "trace");
		return;
	}
	json_begin_object(json, "trace");
	json_string(json, "file", e->trace);
	if (!e->no_calls) {
		for (uint32_t at = e->callers.nodes[CALL_ROOT].child; at != CALL_NONE;
		     at = e->callers.nodes[at].sibling) {
			sum.count += e->callers.nodes[at].count;
			sum.cut += e->callers.nodes[at].cut;
			sum.times.total += e->callers.nodes[at].times.total;
			sum.times.own += e->callers.nodes[at].times.own;
		}
		json_u64(json, "call_count", sum.count);
		json_u64(json, "incomplete_count", sum.cut);
		json_u64(json, "total_ns", sum.times.total);
		json_u64(json, "self_ns", sum.times.own);
		json_below(&e->callers, "callers", json);
		json_below(&e->below, "callees", json);
	} else {
		json_string(json, "reason", e->no_calls);
	}
	json_end_object(json);
}

static void json_prototypes(const struct explanation *e, struct json *json)
{
	const char *text = e->prototypes ?: "";

	json_begin_array(json, "prototypes");
	while (*text) {
		size_t len = strcspn(text, "\n");

		json_string_len(json, NULL, text, len);
		text += len + (text[len] == '\n');
	}
	json_end_array(json);
}

int explain_print_json(const struct explanation *e, struct out *out)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct json json;

	json_document_begin(&json, &buf, true);
	json_string(&json, "name", e->name);
	json_string(&json, "glossary", e->meaning);
	json_string(&json, "kernel_release", e->release);
	json_bool(&json, "is_system_call", e->is_syscall);
	json_prototypes(e, &json);
	json_symbols(e, &json);
	json_ways(e, &json);
	json_events(e, &json);
	json_sources(e, &json);
	json_trace(e, &json);
	json_document_end(&json, &out->completeness);
	return buf.err ? -ENOMEM : out_write(out, &buf);
}
