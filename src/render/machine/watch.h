/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hits of watched memory as lines of text or JSON, and a summary of where they came from. Addresses of
 * code get their names here.
 */
#ifndef FATHOM_RENDER_MACHINE_WATCH_H
#define FATHOM_RENDER_MACHINE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/stream/watch-hits.h"
#include "base/strbuf.h"
#include "render/report/watch-change.h"
#include "symbols/kernel/kallsyms.h"
#include "symbols/user/user-symbols.h"

/* A part of what is watched. */
struct watch_shown {
	uint64_t address;
	unsigned length;
	uint64_t offset; /* from the start of all */
};

struct watch_text {
	/* To be filled in. */
	const char *name; /* of what is watched */
	enum {
		WATCH_SHOW_WRITE,
		WATCH_SHOW_BOTH,
		WATCH_SHOW_EXECUTE
	} access;
	struct watch_shown shown[WATCH_PLACES_MAX];
	bool json, hex, utf8, stacks;
	struct user_symbols *user;
	/* The kernel's names, asked for when the first one is needed; NULL: there are none. */
	const struct kallsyms *(*kernel)(void *data);
	void *kernel_data;
	/* Its own. */
	struct strbuf who;
	struct u64_map places;
	struct watch_origin *origins;
	size_t n_origins, cap_origins;
	struct u64_map pids; /* that hit */
	struct arena arena;
	bool nomem;
};

void watch_text_done(struct watch_text *text);

/* One hit, a line or with stacks several. */
void watch_text_hit(struct watch_text *text, const struct perf_layout *layout,
		    const struct watch_hit *hit, struct strbuf *out);

struct watch_sum {
	uint64_t hits;
	uint64_t lost;
};

/* What was seen in all: how many, from where, and what is missing. */
void watch_text_sum(struct watch_text *text, const struct watch_sum *sum, struct strbuf *out);

#endif
