/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzzes perf records: a byte for the layout, then consecutive records. */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/stream/watch-hits.h"
#include "format/event/perf-records.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct perf_layout *layout, const struct perf_record *record,
		  const uint8_t *start, size_t size)
{
	for (uint32_t i = 0; i < record->n_chain; i++)
		(void)perf_record_frame(layout, record, i);
	if (record->raw_size &&
	    (record->raw < start || record->raw + record->raw_size > start + size))
		abort();
	if (record->regs_abi && (record->regs < start || record->regs + 17 * 8 > start + size))
		abort();
	if (record->stack_size &&
	    (record->stack < start || record->stack + record->stack_size > start + size))
		abort();
	if (record->name && record->name + strlen(record->name) >= (const char *)start + size)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perf_layout layout = { .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
						     PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
						     PERF_SAMPLE_RAW };
	struct user_maps maps = { 0 };
	struct watch_hits hits = { .maps = &maps };
	struct watch_values values = { 0 };
	int n;

	if (!size)
		return 0;
	layout.id_all = data[0] & 1;
	layout.big = data[0] & 2;
	layout.sample_type |= data[0] & 4 ? PERF_SAMPLE_CALLCHAIN : 0;
	layout.sample_type |= data[0] & 8 ? PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_PERIOD : 0;
	layout.sample_type |= data[0] & 16 ? PERF_SAMPLE_ADDR | PERF_SAMPLE_ID : 0;
	layout.sample_type |= data[0] & 32 ? PERF_SAMPLE_STREAM_ID : 0;
	hits.is_kernel = data[0] & 64;
	layout.sample_type |= data[0] & 128 ? PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER : 0;
	layout.n_regs = 17;
	if (watch_hits_start(&hits, hits.is_kernel ? 0 : 100, &values) < 0)
		return 0;
	data++;
	size--;
	do {
		struct perf_record record = { 0 };
		struct watch_hit hit;

		n = perf_record_parse(&layout, data, size, &record);
		if (n <= 0)
			break;
		check(&layout, &record, data, (size_t)n);
		if (watch_hits_feed(&hits, &record, &hit) && hit.which >= WATCH_PLACES_MAX)
			abort();
		data += n;
		size -= (size_t)n;
	} while (size);
	watch_hits_done(&hits);
	user_maps_done(&maps);
	return 0;
}
