/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Samples what CPUs execute, with call chains: perf events that fire at a fixed rate, or at each
 * occurrence of a kernel event. There is one ring per CPU, with times of CLOCK_MONOTONIC in
 * nanoseconds.
 *
 * All objects are descriptors of this process, so the kernel removes them when it exits, even by
 * SIGKILL. One thread may use a sampler at a time.
 */
#ifndef FATHOM_KERNEL_PERF_SAMPLER_H
#define FATHOM_KERNEL_PERF_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <fathom/err.h>

struct sampler;

/* A kernel event at which to take samples. */
struct sampler_point {
	uint16_t id;
	uint16_t same_as; /* ID of the ftrace event whose perf twin this is, or 0 */
	const char *filter; /* as for PERF_EVENT_IOC_SET_FILTER; NULL: none */
};

struct sampler_options {
	unsigned long hz; /* samples per second; 0: no periodic samples */
	const struct sampler_point *points;
	size_t n_points;
	const uint32_t *cpus; /* the CPUs to sample */
	size_t n_cpus;
	const pid_t *pids; /* the tasks to sample; none: all */
	size_t n_pids;
	bool children; /* also sample the descendants of these tasks */
	pid_t starting; /* one of @pids that is sampled only after its execve(); 0: none */
	uint32_t stack_bytes; /* bytes of the user stack to copy; 0: none */
	uint64_t regs; /* user registers to copy with it, as in perf_event_attr.sample_regs_user */
};

/*
 * Opens the events, disabled. CPUs that are offline and tasks that have exited are skipped; if
 * nothing is left, fails with -ESRCH. The options are not kept. Returns 0 or a negative errno.
 */
int sampler_new(const struct sampler_options *options, struct sampler **ret_sampler,
		struct fathom_err *err);
void sampler_free(struct sampler *sampler);
/*
 * Closes the perf events, so that the tracefs events they refer to can be removed. Records not yet
 * taken are lost, and the sampler can no longer be enabled.
 */
void sampler_close(struct sampler *sampler);
/*
 * Returns "cycles", counted by hardware, or "cpu-clock", a timer, on CPUs without such a counter.
 * The string is static.
 */
const char *sampler_event(const struct sampler *sampler);
/*
 * Enables or disables all events, except that the kernel enables those of @starting. Returns 0, or
 * a negative errno after having tried all.
 */
int sampler_switch(struct sampler *sampler, bool on);
/*
 * Returns a descriptor that is readable when a ring is a quarter full. It belongs to the sampler.
 */
int sampler_fd(const struct sampler *sampler);

/*
 * The fields of samples and, in part, of the trailer of all other records; see sample_id_all in
 * perf_event_open(2).
 */
uint64_t sampler_sample_type(bool with_stack, bool with_points);
/*
 * Receives a perf record, which is valid during the call. @cpu is an index in the list of the
 * options. A negative result ends the loop.
 */
typedef int sampler_taker(void *data, size_t cpu, const uint8_t *record, size_t size);
/*
 * Limits the next sampler_take() to records that exist now, so that other data read before it is
 * complete up to these records.
 */
void sampler_mark(struct sampler *sampler);
/*
 * Passes the records that sampler_take() will return after sampler_mark() to @take, and keeps them.
 */
void sampler_peek(struct sampler *sampler, sampler_taker *take, void *data);
/*
 * Returns how long, in nanoseconds, the tasks with periodic samples have run on the CPU with this
 * index. Returns false if that is unknown, because all tasks are sampled.
 */
bool sampler_time(const struct sampler *sampler, size_t cpu, uint64_t *ret_ns);
/*
 * Passes the records of all rings to @take, CPU by CPU in the order of the ring, and removes them:
 * samples, task names and losses. Returns 0 or the negative result of @take; the records that it
 * has received are removed in either case.
 */
int sampler_take(struct sampler *sampler, sampler_taker *take, void *data);

#endif
