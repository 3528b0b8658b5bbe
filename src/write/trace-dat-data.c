/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes the pages of each CPU, or the text of a latency tracer. */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "write/trace-dat-parts.h"

/* Bytes per job: small enough to keep all threads busy, large enough to write efficiently. */
#define JOB_SIZE ((size_t)1 << 20)

static void trace_dat_data_report(struct dat_out *out, uint64_t done)
{
	const struct trace_dat_options *options = &out->writer->options;

	if (options->progress)
		options->progress(options->progress_data, out->done + done, out->plan->bytes);
}

/* A sequence of chunks being written. */
struct packing {
	struct dat_out *out;
	size_t chunk, job_size;
	uint64_t count_at;
	uint32_t n_chunks;
};

static void packing_begin(struct packing *packing, struct dat_out *out, uint32_t page_size)
{
	size_t pages = INFLATE_CHUNK_MAX / page_size;

	*packing = (struct packing){ .out = out, .count_at = dat_pos(out) };
	packing->chunk = (pages < DAT_CHUNK_PAGES ? pages : DAT_CHUNK_PAGES) * page_size;
	packing->job_size = JOB_SIZE < packing->chunk ? packing->chunk :
							JOB_SIZE - JOB_SIZE % packing->chunk;
	trace_encode_u32(&out->e, 0);
}

/* Waits for the oldest job and writes its result. */
static int packing_take_back(struct packing *packing)
{
	struct dat_pool *pool = packing->out->pool;
	struct dat_job *job = dat_pool_oldest(pool);
	int r = job->r < 0 ? err_nomem(packing->out->err) : 0;

	if (r == 0)
		r = dat_append(packing->out, job->out, job->out_size);
	packing->n_chunks += job->n_chunks;
	dat_pool_take_back(pool);
	return r;
}

static int packing_hand_in(struct packing *packing)
{
	struct dat_pool *pool = packing->out->pool;

	dat_pool_hand_in(pool);
	return dat_pool_is_full(pool) ? packing_take_back(packing) : 0;
}

static int packing_add(struct packing *packing, int fd, const struct page_run *run)
{
	struct dat_out *out = packing->out;
	int r = 0;

	for (size_t done = 0; done < run->size && r == 0;) {
		struct dat_job *job = dat_pool_job(out->pool, packing->job_size, packing->chunk,
						   out->e.big_endian);
		size_t n = run->size - done;

		if (!job)
			return err_nomem(out->err);
		if (n > packing->job_size - job->in_size)
			n = packing->job_size - job->in_size;
		if (run->bytes)
			memcpy(job->in + job->in_size, run->bytes + done, n);
		else
			r = dat_read_range(out, fd, run->offset + done, job->in + job->in_size, n);
		job->in_size += n;
		done += n;
		if (r == 0 && job->in_size == packing->job_size)
			r = packing_hand_in(packing);
	}
	return r;
}

static int packing_end(struct packing *packing)
{
	struct dat_out *out = packing->out;
	struct dat_pool *pool = out->pool;
	struct dat_job *job =
		dat_pool_job(pool, packing->job_size, packing->chunk, out->e.big_endian);
	int r = job ? 0 : err_nomem(out->err);

	if (r == 0 && job->in_size)
		dat_pool_hand_in(pool);
	while (r == 0 && dat_pool_oldest(pool))
		r = packing_take_back(packing);
	return r == 0 ? dat_patch_u32(out, packing->count_at, packing->n_chunks) : r;
}

static int put_run(struct dat_out *out, struct packing *packing, const struct page_feed *feed,
		   const struct page_run *run)
{
	if (out->pool) {
		/* For a CPU without pages nothing is written, not even a count of 0. */
		if (!packing->out)
			packing_begin(packing, out, feed->layout->size);
		return packing_add(packing, feed->fd, run);
	}
	return run->bytes ? dat_append(out, run->bytes, run->size) :
			    dat_append_range(out, feed->fd, run->offset, run->size);
}

static int put_pages(struct dat_out *out, struct page_feed *feed)
{
	struct packing packing = { 0 };
	struct page_run run;
	int more, r = 0;

	while (r == 0 && (more = page_feed_next(feed, &run)) != 0) {
		if (more == -ENOMEM)
			r = err_nomem(out->err);
		else if (more < 0)
			r = err_set_errno(out->err, more, "cannot read the trace");
		else
			r = put_run(out, &packing, feed, &run);
		trace_dat_data_report(out, feed->done);
	}
	return r == 0 && packing.out ? packing_end(&packing) : r;
}

static int trace_dat_data_put_cpu(struct dat_out *out, const struct trace_dat_buffer *buffer,
				  const struct trace_dat_cpu *cpu)
{
	struct page_feed feed;
	int r;

	if (cpu->of)
		r = page_feed_init(&feed, out->plan->trace, cpu->of, cpu->from, cpu->to);
	else
		r = page_feed_init_file(&feed, cpu->fd, cpu->size, &buffer->layout);
	if (r < 0)
		err_nomem(out->err);
	else
		r = put_pages(out, &feed);
	page_feed_done(&feed);
	out->done += cpu->of ? cpu->of->cpu->size : cpu->size;
	return r;
}

int dat_put_buffer(struct dat_out *out, const struct trace_dat_buffer *buffer,
		   const struct dat_places *places)
{
	int r = 0;

	for (uint32_t i = 0; i < buffer->n_cpus && r == 0; i++) {
		const struct trace_dat_cpu *cpu = &buffer->cpus[i];
		uint64_t row = out->version == 6 ? cpu->cpu : i, start;
		uint64_t at = places->table_at + row * places->stride;

		r = dat_align(out, buffer->layout.size);
		start = dat_pos(out);
		if (r == 0)
			r = trace_dat_data_put_cpu(out, buffer, cpu);
		if (r == 0)
			r = dat_patch_u64(out, at, start);
		if (r == 0)
			r = dat_patch_u64(out, at + sizeof(uint64_t), dat_pos(out) - start);
	}
	if (r < 0 && out->pool)
		dat_pool_reset(out->pool);
	return r;
}

int dat_put_text(struct dat_out *out, const struct trace_dat_buffer *buffer)
{
	struct packing packing;
	struct page_run run = { 0 };
	const char *text;
	int r = fathom_trace_text(out->plan->trace, buffer->text, &text, &run.size, out->err);

	if (r < 0)
		return r;
	if (!out->pool || !run.size)
		return dat_append(out, text, run.size);
	run.bytes = (const uint8_t *)text;
	packing_begin(&packing, out, buffer->layout.size);
	r = packing_add(&packing, -1, &run);
	if (r == 0)
		r = packing_end(&packing);
	if (r < 0)
		dat_pool_reset(out->pool);
	return r;
}
