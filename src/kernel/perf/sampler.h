/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Samples: perf events that say so many times a second where a CPU is, or each time that an event of the kernel happens,
 * and who called. One ring for each CPU, on CLOCK_MONOTONIC. All of it are files of this process: when it ends, also by
 * kill -9, the kernel removes everything.
 */
#ifndef FATHOM_KERNEL_PERF_SAMPLER_H
#define FATHOM_KERNEL_PERF_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <fathom/err.h>

struct sampler;

/* An event of the kernel at which samples are taken. */
struct sampler_point {
	uint16_t id;
	uint16_t same_as; /* id of the ftrace event whose perf twin this is, or 0 */
	const char *filter; /* NULL: none */
};

struct sampler_options {
	unsigned long hz; /* 0: at no times */
	const struct sampler_point *points;
	size_t n_points;
	const uint32_t *cpus; /* those that are sampled */
	size_t n_cpus;
	const pid_t *pids; /* only these tasks; none: all */
	size_t n_pids;
	bool children; /* and all that they start */
	pid_t starting; /* of these: sampled only once it runs another program; 0: none */
	uint32_t stack_bytes; /* of the program's stack that are copied; 0: none */
	uint64_t regs; /* which registers come with it, as perf_event_attr.sample_regs_user has them */
};

/* Opens the events, switched off. The CPUs that are not there are left out. */
int sampler_new(const struct sampler_options *options, struct sampler **ret_sampler,
		struct fathom_err *err);
void sampler_free(struct sampler *sampler);
/* Closes the perf events, so that the tracefs events they refer to can be removed. */
void sampler_close(struct sampler *sampler);
/* "cycles" of the hardware, or "cpu-clock", a timer, where there are none. */
const char *sampler_event(const struct sampler *sampler);
/* 0 or a negative errno. */
int sampler_switch(struct sampler *sampler, bool on);
/* Readable when much has come. */
int sampler_fd(const struct sampler *sampler);

/* What is in each sample, and with this also in the trailer of all other records. */
uint64_t sampler_sample_type(bool with_stack, bool with_points);
/* A record of perf; @cpu is the place in the list of the options. A negative number ends the taking. */
typedef int sampler_taker(void *data, size_t cpu, const uint8_t *record, size_t size);
/* Of what has come until now is handed out next, and nothing later: so that one can look at other things before. */
void sampler_mark(struct sampler *sampler);
/* Shows what sampler_take() will hand out after sampler_mark(), and leaves it there. */
void sampler_peek(struct sampler *sampler, sampler_taker *take, void *data);
/*
 * How long the tasks that are sampled at times have run until now on the CPU with this place in the list. False: not known,
 * as samples are of all tasks.
 */
bool sampler_time(const struct sampler *sampler, size_t cpu, uint64_t *ret_ns);
/* Hands out what has come: samples, names of tasks and losses, of each CPU in its order. */
int sampler_take(struct sampler *sampler, sampler_taker *take, void *data);

#endif
