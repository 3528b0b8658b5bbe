/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is set in the kernel's tracing now, buffer by buffer, by whoever: what
 * kernel/state/state.h tells, and with it sizes, what the rings hold, and whose session it is.
 * Looking changes nothing.
 */
#ifndef FATHOM_RECORD_SESSION_STATUS_H
#define FATHOM_RECORD_SESSION_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

#include "kernel/tracefs/settings.h"
#include "kernel/state/state.h"
#include "record/session/session-list.h"

#define STATUS_WORD_SIZE 64

struct status_buffer {
	const struct state_buffer *state; /* tracer, events, filters, ... */
	const struct session_info *session; /* whose it is; NULL: nobody's that we know */
	uint64_t size_kb; /* for each CPU; 0: the CPUs differ */
	uint64_t total_kb;
	bool unused; /* it gets its size when it is first used */
	uint64_t subbuf_kb; /* 0: the kernel does not say */
	size_t n_cpus;
	uint64_t entries, lost; /* events in the rings, and overwritten or dropped */
	char clock[STATUS_WORD_SIZE];
	char cpumask[STATUS_WORD_SIZE]; /* "" when all CPUs are traced */
	char max_latency[STATUS_WORD_SIZE]; /* in microseconds; "" when there is none */
	struct settings options; /* when they were asked for */
};

struct status {
	struct session_env env;
	struct trace_state state;
	struct session_list sessions;
	struct status_buffer *buffers; /* the top level first */
	size_t n;
	bool no_functions; /* kernel.ftrace_enabled is 0 */
	bool stack_tracer; /* is on */
	struct strbuf errors; /* what the kernel has refused lately */
};

/* Looks at everything; with @options also at the trace options of each buffer. */
int status_read(const char *root, bool options, struct status *ret_status, struct fathom_err *err);
void status_done(struct status *status);
#define _cleanup_status_ __attribute__((cleanup(status_done)))

#endif
