/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Carries out a plan in the running kernel, by BPF programs that are assembled here. Nothing is
 * pinned and no setting is changed: if the process ends in any way, the kernel removes the programs.
 *
 * The result is added up in per-CPU maps and can be read at any time. Not thread-safe.
 */
#ifndef FATHOM_COUNT_LIVE_H
#define FATHOM_COUNT_LIVE_H

#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

#include "base/cleanup.h"
#include "count/columns.h"
#include "count/plan.h"
#include "count/sums.h"

struct count_live;

struct count_limits {
	uint32_t max_keys; /* different keys, or keys and bins; 0: 10240 */
	uint64_t max_memory; /* of maps, in bytes; 0: 64 MB */
};

/*
 * Resolves @plan on the running kernel, whose tracefs is @tracefs, and loads and attaches the
 * programs. @plan must outlive the result. Returns 0, or a negative errno with a message: -ENOENT
 * if an event or function does not exist, -EPERM without the rights, -E2BIG if it takes too much
 * memory, -ENOSYS if the kernel lacks something.
 */
int count_live_new(const struct count_plan *plan, int tracefs, const struct count_limits *limits,
		   struct count_live **ret_live, struct fathom_err *err);
void count_live_free(struct count_live *live);
DEFINE_CLEANUP(struct count_live, count_live_free);

const struct count_columns *count_live_columns(const struct count_live *live);
/* The sites, for keys of COUNT_COLUMN_EVENT. */
const struct count_site *count_live_sites(const struct count_live *live, size_t *ret_n);
/* The memory of the maps, in bytes. */
uint64_t count_live_memory(const struct count_live *live);
/* The number of attached probes. */
size_t count_live_probes(const struct count_live *live);

/*
 * Passes each key, with its sums since the start, to @take, and stores what is missing in
 * @ret_losses. A key can be passed several times; its sums are then to be added. Counting continues. Returns 0, the first negative result of @take, or another
 * negative errno.
 */
int count_live_read(struct count_live *live, count_taker *take, void *data,
		    struct count_losses *ret_losses);
/* Stops counting. The result can still be read. */
void count_live_stop(struct count_live *live);
/* Stores up to @max addresses of the stack @id, innermost first. Returns their number. */
size_t count_live_stack(const struct count_live *live, int64_t id, uint64_t *addresses, size_t max);

#endif
