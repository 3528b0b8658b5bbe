/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/record/record-returns.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/quote.h"
#include "format/bytes.h"
#include "format/event/perf-records.h"
#include "format/event/return-event.h"
#include "record/file/event-pages.h"
#include "record/rings/cpu-rings.h"
#include "record/session/session-env.h"
#include "record/session/session.h"

#define RING_BYTES ((size_t)1 << 20) /* per CPU */

struct record_returns {
	const struct plan *plan;
	const struct return_probe *list;
	size_t n;
	struct return_probes probes;
	struct cpu_rings rings;
	struct event_pages pages;
	struct perf_layout layout;
	uint64_t results, lost;
};

int record_returns_plan(struct record_args *args, struct record_returns **ret_returns,
			struct fathom_err *err)
{
	struct record_returns *returns;
	int r;

	if (!args->n_returns)
		return 0;
	returns = mem_zalloc(1, sizeof(*returns));
	if (!returns)
		return err_nomem(err);
	*returns = (struct record_returns){ .plan = &args->plan.plan,
					    .list = args->returns,
					    .n = args->n_returns,
					    .probes = RETURN_PROBES_NONE,
					    .rings = CPU_RINGS_NONE,
					    .layout = { .sample_type = return_probes_sample_type(),
							.id_all = true,
							.big = BYTES_HOST_BIG } };
	r = record_plan_own(&args->plan.plan, RETURN_EVENT_BUFFER, "results", err);
	if (r < 0) {
		record_returns_free(returns);
		return r;
	}
	*ret_returns = returns;
	return 0;
}

void record_returns_free(struct record_returns *returns)
{
	if (!returns)
		return;
	return_probes_done(&returns->probes);
	cpu_rings_done(&returns->rings);
	event_pages_done(&returns->pages);
	free(returns);
}

struct recorder_buffer record_returns_buffer(const struct plan *plan)
{
	return (struct recorder_buffer){ .name = RETURN_EVENT_BUFFER,
					 .place = plan->buffers[0].place->fd,
					 .is_own = true };
}

static int record_returns_open_ring(void *data, unsigned cpu)
{
	(void)data;
	return return_probes_output(cpu, RING_BYTES / 4);
}

static int record_returns_announce_ring(void *data, unsigned cpu, int fd)
{
	const struct record_returns *returns = data;

	return return_probes_set_ring(&returns->probes, cpu, fd);
}

int record_returns_attach(struct record_returns *returns, struct fathom_err *err)
{
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;
	const struct cpu_rings_options options = { .bytes = RING_BYTES,
						   .open = record_returns_open_ring,
						   .announce = record_returns_announce_ring,
						   .data = returns };
	int r = session_env_open("", &env, err);

	if (r < 0)
		return r;
	r = return_probes_init(&returns->probes, returns->list, returns->n, env.tracefs.fd,
			       (unsigned)sysconf(_SC_NPROCESSORS_CONF));
	if (r < 0)
		return cpu_rings_refused(r, "loading a BPF program", err);
	r = cpu_rings_open(&returns->rings, &options, err);
	if (r < 0)
		return r;
	r = return_probes_attach(&returns->probes, returns->list, returns->n);
	return r < 0 ? cpu_rings_refused(r, "recording return values", err) : 0;
}

int record_returns_begin(struct record_returns *returns, struct recorder *recorder,
			 struct fathom_err *err)
{
	const struct plan *plan = returns->plan;
	size_t n;
	struct trace_out_stream *streams = recorder_own_streams(recorder, RETURN_EVENT_BUFFER, &n);
	int r = 0;

	if (event_pages_init(&returns->pages, streams, n) < 0)
		return err_nomem(err);
	for (size_t i = 0; r == 0 && i < plan->n_pids; i++)
		r = return_probes_add_task(&returns->probes, plan->pids[i]);
	return r < 0 ? cpu_rings_refused(r, "selecting tasks", err) : 0;
}

int record_returns_fd(const struct record_returns *returns)
{
	return returns->rings.poll;
}

static int record_returns_put_result(struct record_returns *returns, size_t cpu,
				     const struct perf_record *record)
{
	uint8_t event[RETURN_EVENT_SIZE];
	struct return_raw raw;
	const struct return_probe *probe;

	if (record->raw_size < sizeof(raw))
		return 0;
	memcpy(&raw, record->raw, sizeof(raw));
	if (raw.which >= returns->n)
		return 0;
	probe = &returns->list[raw.which];
	return_event_write(record->tid, probe->address, return_probe_result(probe, raw.value),
			   BYTES_HOST_BIG, event);
	returns->results++;
	return event_pages_put(&returns->pages, cpu, record->time, event, sizeof(event));
}

static int record_returns_put(struct record_returns *returns, unsigned cpu, const uint8_t *bytes,
			      size_t size)
{
	struct perf_record record;
	int at = event_pages_cpu(&returns->pages, cpu);

	if (at < 0 || perf_record_parse(&returns->layout, bytes, size, &record) <= 0)
		return 0;
	if (record.kind == PERF_SAMPLE)
		return record_returns_put_result(returns, (size_t)at, &record);
	if (record.kind != PERF_LOST)
		return 0;
	returns->lost += record.lost;
	return event_pages_lose(&returns->pages, (size_t)at, record.time, record.lost);
}

int record_returns_take(struct record_returns *returns, bool all)
{
	int r = 0;

	/* Each CPU has a stream of its own, whose ring buffer is in chronological order. */
	for (size_t i = 0; r == 0 && i < returns->rings.n; i++) {
		struct cpu_ring *ring = &returns->rings.list[i];
		const uint8_t *record;
		size_t size;

		while (r == 0 && (size = perf_ring_next(&ring->ring, &record)))
			r = record_returns_put(returns, ring->cpu, record, size);
		perf_ring_release(&ring->ring);
	}
	return r == 0 && all ? event_pages_flush(&returns->pages) : r;
}

void record_returns_end(struct record_returns *returns, struct strbuf *info,
			struct fathom_err *failure)
{
	int r;

	return_probes_detach(&returns->probes);
	r = record_returns_take(returns, true);
	if (r < 0 && !failure->code)
		err_set_errno(failure, r, "cannot write return values");
	quote_addf(info, "results: %" PRIu64 " of %zu functions\nresults lost: %" PRIu64 "\n",
		   returns->results, returns->n, returns->lost);
}

uint64_t record_returns_lost(const struct record_returns *returns)
{
	return returns->lost;
}
