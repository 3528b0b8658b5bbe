/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Renders hits of watched memory as lines of text or JSON, and a summary by place. Code addresses
 * are symbolized while a hit is rendered, which may read files of programs. Uses memory for each
 * distinct place and process. Not thread-safe.
 *
 * If memory is exhausted, @nomem is set or the output buffer has an error; callers check both.
 */
#ifndef FATHOM_RENDER_MACHINE_WATCH_H
#define FATHOM_RENDER_MACHINE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/stream/watch-hits.h"
#include "base/arena.h"
#include "base/strbuf.h"
#include "base/u64-map.h"
#include "symbols/kernel/kallsyms.h"
#include "symbols/user/user-symbols.h"

/* A part of the watched memory. */
struct watch_shown {
	uint64_t address;
	unsigned length;
	uint64_t offset; /* from the start of the watched memory, in bytes */
};

struct watch_text {
	/* Set by the caller; not owned. */
	const char *name; /* of the watched memory */
	enum {
		WATCH_SHOW_WRITE,
		WATCH_SHOW_BOTH,
		WATCH_SHOW_EXECUTE
	} access;
	struct watch_shown shown[WATCH_PLACES_MAX];
	bool json, hex, utf8, stacks;
	struct user_symbols *user;
	/*
	 * Returns the kernel's symbols, or NULL if there are none. Called when they are first
	 * needed, and again for each address.
	 */
	const struct kallsyms *(*kernel)(void *data);
	void *kernel_data;
	/* Private; zero-initialized, released with watch_text_done(). */
	struct strbuf who;
	struct u64_map places;
	struct watch_origin *origins;
	size_t n_origins, cap_origins;
	struct u64_map pids; /* that hit */
	struct arena arena;
	bool nomem;
};

void watch_text_done(struct watch_text *text);

/* Appends a hit: one line, followed by its stack if @stacks is set. */
void watch_text_hit(struct watch_text *text, const struct perf_layout *layout,
		    const struct watch_hit *hit, struct strbuf *out);

struct watch_sum {
	uint64_t hits;
	uint64_t lost;
};

/* Appends the number of hits, by place, and of lost ones. */
void watch_text_sum(struct watch_text *text, const struct watch_sum *sum, struct strbuf *out);

#endif
