/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/machine/watch.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/order.h"
#include "base/quote.h"
#include "base/str.h"
#include "render/kit/amount.h"
#include "render/kit/json-document.h"
#include "render/report/watch-change.h"

#define ORIGINS_MAX 10

struct watch_origin {
	const char *who;
	uint64_t n;
};

void watch_text_done(struct watch_text *text)
{
	strbuf_done(&text->who);
	u64_map_done(&text->places);
	u64_map_done(&text->pids);
	free(text->origins);
	text->origins = NULL;
	arena_done(&text->arena);
}

static void watch_put_kernel(struct watch_text *text, uint64_t ip, unsigned back,
			     struct strbuf *out)
{
	const struct kallsyms *names = text->kernel ? text->kernel(text->kernel_data) : NULL;
	const struct kallsyms_symbol *symbol = names ? kallsyms_function(names, NULL, ip - back) :
						       NULL;
	const char *module = symbol ? kallsyms_module(names, symbol) : NULL;

	if (symbol)
		quote_addf(out, "%s+%#" PRIx64 " [%s]", kallsyms_name(names, symbol),
			   ip - symbol->address, module ?: "kernel");
	else
		quote_addf(out, "%#" PRIx64 " [kernel]", ip);
}

/*
 * Appends the function and the offset of @ip. The CPU reports the address after the instruction
 * that accessed the memory, and call chains have the addresses after calls. With @back 1, the
 * function is found even if that instruction was its last one.
 */
static void watch_put_place(struct watch_text *text, const struct watch_hit *hit, uint64_t ip,
			    bool in_kernel, unsigned back, struct strbuf *out)
{
	struct user_symbol symbol;

	if (in_kernel) {
		watch_put_kernel(text, ip, back, out);
		return;
	}
	if (!text->user) {
		quote_addf(out, "%#" PRIx64, ip);
		return;
	}
	user_symbols_find(text->user, hit->pid, hit->time, ip - back, &symbol);
	if (symbol.name)
		quote_addf(out, "%s+%#" PRIx64 " [%s]", symbol.name, symbol.offset + back,
			   symbol.path ? str_base_name(symbol.path) : "JIT");
	else
		quote_addf(out, "%#" PRIx64 " [%s%s%s]", ip,
			   symbol.path ? str_base_name(symbol.path) : "", symbol.path ? ": " : "",
			   user_unresolved_text(symbol.why));
}

static void watch_put_change(const struct watch_text *text, const struct watch_hit *hit,
			     struct strbuf *out)
{
	struct watch_change change = { .executes = text->access == WATCH_SHOW_EXECUTE,
				       .reads = text->access == WATCH_SHOW_BOTH,
				       .has_old = hit->has_old,
				       .has_value = hit->has_value,
				       .old = hit->old,
				       .value = hit->value,
				       .length = text->shown[hit->which].length,
				       .hex = text->hex,
				       .utf8 = text->utf8 };
	char words[WATCH_CHANGE_SIZE];

	watch_change_print(&change, words);
	quote_adds(out, words);
}

/* Appends each frame of the stack except the first one, which is part of the hit's line. */
static void each_frame(struct watch_text *text, const struct perf_layout *layout,
		       const struct watch_hit *hit, struct json *json, struct strbuf *out)
{
	const struct perf_record *record = hit->record;
	bool in_kernel = hit->in_kernel;
	unsigned n = 0;

	for (uint32_t i = 0; i < record->n_chain; i++) {
		uint64_t ip = perf_record_frame(layout, record, i);

		if (ip >= (uint64_t)PERF_CONTEXT_MAX) {
			in_kernel = ip == (uint64_t)PERF_CONTEXT_KERNEL;
			continue;
		}
		if (n++ == 0 && ip == hit->ip)
			continue;
		strbuf_clear(&text->who);
		watch_put_place(text, hit, ip, in_kernel, 1, &text->who);
		text->nomem |= text->who.err != 0;
		if (json)
			json_string(json, NULL, strbuf_str(&text->who));
		else
			quote_addf(out, "        => %s\n", strbuf_str(&text->who));
	}
}

static void count_origin(struct watch_text *text, const struct watch_hit *hit)
{
	const char *who = strbuf_str(&text->who);
	struct watch_origin *origin = u64_map_element(&text->places,
						      hash_bytes(who, text->who.len, hash_seed()),
						      &text->origins, &text->n_origins,
						      &text->cap_origins, sizeof(*origin));

	if (origin && !origin->who)
		origin->who = arena_strdup(&text->arena, who);
	if (!origin || !origin->who ||
	    u64_map_put(&text->pids, (uint32_t)hit->pid) == U64_MAP_NONE) {
		text->nomem = true;
		return;
	}
	origin->n++;
}

static void put_json_value(struct json *json, const char *key, bool known, uint64_t value)
{
	if (known)
		json_address(json, key, value);
	else
		json_null(json, key);
}

static void watch_put_json(struct watch_text *text, const struct perf_layout *layout,
			   const struct watch_hit *hit, struct strbuf *out)
{
	bool has_value = text->access != WATCH_SHOW_EXECUTE && hit->has_value;
	struct json json;

	json_init(&json, out, false);
	json_begin_object(&json, NULL);
	json_u64(&json, "time_ns", hit->time);
	json_u64(&json, "cpu", hit->cpu);
	json_s64(&json, "pid", hit->tid);
	json_s64(&json, "tgid", hit->pid);
	json_string(&json, "comm", hit->comm);
	json_string(&json, "event", "watch");
	json_string(&json, "name", text->name);
	json_u64(&json, "offset_bytes", text->shown[hit->which].offset);
	json_u64(&json, "length_bytes", text->shown[hit->which].length);
	put_json_value(&json, "old", has_value && hit->has_old, hit->old);
	put_json_value(&json, "new", has_value, hit->value);
	put_json_value(&json, "ip", true, hit->ip);
	json_bool(&json, "kernel", hit->in_kernel);
	json_string(&json, "where", strbuf_str(&text->who));
	if (text->stacks) {
		json_begin_array(&json, "stack");
		each_frame(text, layout, hit, &json, out);
		json_end_array(&json);
	}
	json_end_object(&json);
	json_end_document(&json);
}

void watch_text_hit(struct watch_text *text, const struct perf_layout *layout,
		    const struct watch_hit *hit, struct strbuf *out)
{
	const struct watch_shown *shown = &text->shown[hit->which];

	strbuf_clear(&text->who);
	watch_put_place(text, hit, hit->ip, hit->in_kernel,
			text->access == WATCH_SHOW_EXECUTE ? 0 : 1, &text->who);
	text->nomem |= text->who.err != 0;
	count_origin(text, hit);
	if (text->json) {
		watch_put_json(text, layout, hit, out);
		return;
	}
	quote_addf(out, "%16s-%-7d [%03u] %5" PRIu64 ".%06u: %s", hit->comm, hit->tid, hit->cpu,
		   hit->time / 1000000000, (unsigned)(hit->time % 1000000000 / 1000), text->name);
	if (shown->offset)
		quote_addf(out, "+%" PRIu64, shown->offset);
	strbuf_adds(out, ": ");
	watch_put_change(text, hit, out);
	quote_addf(out, "  %s\n", strbuf_str(&text->who));
	if (text->stacks)
		each_frame(text, layout, hit, NULL, out);
}

static int by_count(const void *a, const void *b)
{
	const struct watch_origin *x = a, *y = b;
	int r = order_falling(x->n, y->n);

	return r ?: strcmp(x->who, y->who);
}

static void put_json_sum(const struct watch_text *text, const struct watch_sum *sum,
			 struct strbuf *out)
{
	struct json json;

	json_document_begin(&json, out, false);
	json_string(&json, "event", "summary");
	json_u64(&json, "hit_count", sum->hits);
	json_begin_array(&json, "places");
	for (size_t i = 0; i < text->n_origins; i++) {
		json_begin_object(&json, NULL);
		json_string(&json, "where", text->origins[i].who);
		json_u64(&json, "hit_count", text->origins[i].n);
		json_end_object(&json);
	}
	json_end_array(&json);
	json_document_end(&json, &(struct completeness){ .of_recording = true,
							 .lost_known = true,
							 .lost = sum->lost });
}

void watch_text_sum(struct watch_text *text, const struct watch_sum *sum, struct strbuf *out)
{
	uint64_t others = 0;

	if (text->n_origins && !text->nomem)
		qsort(text->origins, text->n_origins, sizeof(*text->origins), by_count);
	if (text->json) {
		put_json_sum(text, sum, out);
		return;
	}
	amount_put_count(out, sum->hits, "hit", "hits");
	if (text->pids.n) {
		strbuf_adds(out, " by ");
		amount_put_count(out, text->pids.n, "process", "processes");
	}
	quote_addf(out, ", %" PRIu64 " lost\n", sum->lost);
	for (size_t i = 0; i < text->n_origins; i++) {
		if (i < ORIGINS_MAX)
			quote_addf(out, "%8" PRIu64 "  %s\n", text->origins[i].n,
				   text->origins[i].who);
		else
			others += text->origins[i].n;
	}
	if (others)
		quote_addf(out, "%8" PRIu64 "  in %zu other places\n", others,
			   text->n_origins - ORIGINS_MAX);
}
