/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "write/trace-dat-pool.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "format/bytes.h"
#include "format/compress/deflate.h"

#define HEAD_SIZE 8 /* the two sizes that precede a chunk */

struct worker {
	struct dat_pool *pool;
	struct deflater deflater;
	pthread_t thread;
};

struct dat_pool {
	struct deflater deflater; /* of the calling thread */
	struct worker *workers;
	unsigned n_workers; /* running */
	struct dat_job *jobs; /* a ring */
	size_t n_jobs;
	pthread_mutex_t lock; /* protects the following members, and @done of the jobs */
	pthread_cond_t has_work, has_result;
	uint64_t handed_in, begun, taken_back; /* numbers of jobs */
	bool stop;
};

DEFINE_CLEANUP(struct dat_pool, dat_pool_free);

static void put_sizes(uint8_t *at, size_t packed, size_t size, bool big)
{
	store_u32(at, (uint32_t)packed, big);
	store_u32(at + 4, (uint32_t)size, big);
}

static void trace_dat_pool_run_job(struct dat_job *job, struct deflater *deflater)
{
	size_t packed = 0;

	job->out_size = job->n_chunks = 0;
	job->r = 0;
	for (size_t at = 0; at < job->in_size && job->r == 0; at += job->chunk) {
		size_t size = job->in_size - at < job->chunk ? job->in_size - at : job->chunk;
		uint8_t *out = job->out + job->out_size;

		job->r = deflater_run(deflater, job->in + at, size, out + HEAD_SIZE,
				      job->out_room - job->out_size - HEAD_SIZE, &packed);
		if (job->r < 0)
			break;
		put_sizes(out, packed, size, job->big_endian);
		job->out_size += HEAD_SIZE + packed;
		job->n_chunks++;
	}
}

static void *trace_dat_pool_work(void *arg)
{
	struct worker *worker = arg;
	struct dat_pool *pool = worker->pool;

	pthread_mutex_lock(&pool->lock);
	for (;;) {
		struct dat_job *job;

		while (pool->begun == pool->handed_in && !pool->stop)
			pthread_cond_wait(&pool->has_work, &pool->lock);
		if (pool->stop)
			break;
		job = &pool->jobs[pool->begun++ % pool->n_jobs];
		pthread_mutex_unlock(&pool->lock);
		trace_dat_pool_run_job(job, &worker->deflater);
		pthread_mutex_lock(&pool->lock);
		job->done = true;
		pthread_cond_signal(&pool->has_result);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

/* Workers block all signals. If one cannot be started, there are just fewer. */
static int start_workers(struct dat_pool *pool, unsigned threads)
{
	sigset_t all, before;

	pool->workers = mem_zalloc(threads, sizeof(*pool->workers));
	if (!pool->workers)
		return -ENOMEM;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (pool->n_workers < threads) {
		struct worker *worker = &pool->workers[pool->n_workers];

		worker->pool = pool;
		if (pthread_create(&worker->thread, NULL, trace_dat_pool_work, worker) != 0)
			break;
		pool->n_workers++;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return 0;
}

int dat_pool_new(unsigned threads, struct dat_pool **ret_pool)
{
	_cleanup_(dat_pool_free_p) struct dat_pool *pool = mem_zalloc(1, sizeof(*pool));
	int r = 0;

	if (!pool)
		return -ENOMEM;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->has_work, NULL);
	pthread_cond_init(&pool->has_result, NULL);
	/* Two per worker: one being compressed, one being filled or written. */
	pool->n_jobs = threads ? 2 * (size_t)threads : 1;
	pool->jobs = mem_zalloc(pool->n_jobs, sizeof(*pool->jobs));
	if (!pool->jobs)
		return -ENOMEM;
	if (threads)
		r = start_workers(pool, threads);
	if (r < 0)
		return r;
	*ret_pool = TAKE_PTR(pool);
	return 0;
}

int dat_pool_set(struct dat_pool *pool, enum compression compression, int level)
{
	int r;

	deflater_done(&pool->deflater);
	r = deflater_init(&pool->deflater, compression, level);
	/* Workers synchronize through the lock when they take the next job. */
	for (unsigned i = 0; i < pool->n_workers && r == 0; i++) {
		deflater_done(&pool->workers[i].deflater);
		r = deflater_init(&pool->workers[i].deflater, compression, level);
	}
	return r;
}

void dat_pool_free(struct dat_pool *pool)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->stop = true;
	pthread_cond_broadcast(&pool->has_work);
	pthread_mutex_unlock(&pool->lock);
	for (unsigned i = 0; i < pool->n_workers; i++) {
		pthread_join(pool->workers[i].thread, NULL);
		deflater_done(&pool->workers[i].deflater);
	}
	for (size_t i = 0; pool->jobs && i < pool->n_jobs; i++) {
		free(pool->jobs[i].in);
		free(pool->jobs[i].out);
	}
	deflater_done(&pool->deflater);
	pthread_cond_destroy(&pool->has_work);
	pthread_cond_destroy(&pool->has_result);
	pthread_mutex_destroy(&pool->lock);
	free(pool->workers);
	free(pool->jobs);
	free(pool);
}

bool dat_pool_is_full(const struct dat_pool *pool)
{
	return pool->handed_in - pool->taken_back == pool->n_jobs;
}

static bool trace_dat_pool_make_room(uint8_t **area, size_t *room, size_t wanted)
{
	uint8_t *p;

	if (*room >= wanted)
		return true;
	p = mem_alloc(wanted);
	if (!p)
		return false;
	free(*area);
	*area = p;
	*room = wanted;
	return true;
}

struct dat_job *dat_pool_job(struct dat_pool *pool, size_t in_room, size_t chunk, bool big_endian)
{
	struct dat_job *job = &pool->jobs[pool->handed_in % pool->n_jobs];
	size_t chunks = (in_room + chunk - 1) / chunk;

	if (job->in_size)
		return job;
	if (!trace_dat_pool_make_room(&job->in, &job->in_room, in_room) ||
	    !trace_dat_pool_make_room(
		    &job->out, &job->out_room,
		    chunks * (HEAD_SIZE + deflate_bound(pool->deflater.compression, chunk))))
		return NULL;
	job->chunk = chunk;
	job->big_endian = big_endian;
	return job;
}

void dat_pool_hand_in(struct dat_pool *pool)
{
	struct dat_job *job = &pool->jobs[pool->handed_in % pool->n_jobs];

	if (!pool->n_workers) {
		trace_dat_pool_run_job(job, &pool->deflater);
		job->done = true;
		pool->handed_in++;
		return;
	}
	pthread_mutex_lock(&pool->lock);
	pool->handed_in++;
	pthread_cond_signal(&pool->has_work);
	pthread_mutex_unlock(&pool->lock);
}

struct dat_job *dat_pool_oldest(struct dat_pool *pool)
{
	struct dat_job *job = &pool->jobs[pool->taken_back % pool->n_jobs];

	if (pool->taken_back == pool->handed_in)
		return NULL;
	pthread_mutex_lock(&pool->lock);
	while (!job->done)
		pthread_cond_wait(&pool->has_result, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
	return job;
}

void dat_pool_take_back(struct dat_pool *pool)
{
	struct dat_job *job = &pool->jobs[pool->taken_back++ % pool->n_jobs];

	job->in_size = 0;
	job->done = false;
}

void dat_pool_reset(struct dat_pool *pool)
{
	while (dat_pool_oldest(pool))
		dat_pool_take_back(pool);
	pool->jobs[pool->handed_in % pool->n_jobs].in_size = 0;
}

int dat_pool_block(struct dat_pool *pool, const void *in, size_t size, bool big_endian,
		   uint8_t **ret_out, size_t *ret_size)
{
	size_t room = deflate_bound(pool->deflater.compression, size), packed;
	_cleanup_free_ uint8_t *out = mem_alloc(HEAD_SIZE + room);
	int r;

	if (!out)
		return -ENOMEM;
	r = deflater_run(&pool->deflater, in, size, out + HEAD_SIZE, room, &packed);
	if (r < 0)
		return r;
	put_sizes(out, packed, size, big_endian);
	*ret_out = TAKE_PTR(out);
	*ret_size = HEAD_SIZE + packed;
	return 0;
}
