/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The current state of tracing, buffer by buffer, no matter who set it: that of
 * kernel/state/state.h, with sizes, contents of the rings, and the session that a buffer belongs
 * to. Reading it changes nothing. All pointers are valid until status_done().
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
	const struct session_info *session; /* the session that it belongs to; NULL: none */
	uint64_t size_kb; /* per CPU; 0: differs between CPUs */
	uint64_t total_kb;
	bool unused; /* not expanded to its size yet */
	uint64_t subbuf_kb; /* 0: not reported by the kernel */
	size_t n_cpus;
	uint64_t entries, lost; /* events in the rings; overwritten or dropped */
	char clock[STATUS_WORD_SIZE];
	char cpumask[STATUS_WORD_SIZE]; /* "": all CPUs are traced */
	uint64_t max_latency_ns; /* of a latency tracer, in whole microseconds; 0: none */
	struct settings options; /* if they were requested */
};

struct status {
	struct session_env env;
	struct trace_state state;
	struct session_list sessions;
	struct status_buffer *buffers; /* the top level first */
	size_t n;
	bool no_functions; /* kernel.ftrace_enabled is 0 */
	bool stack_tracer; /* the stack tracer is enabled */
	struct strbuf errors; /* contents of error_log */
};

/*
 * Reads the state; @options: including the trace options of each buffer. Sessions are omitted
 * without permission to read their journals. Returns 0 or a negative errno.
 */
int status_read(const char *root, bool options, struct status *ret_status, struct fathom_err *err);
void status_done(struct status *status);
#define _cleanup_status_ __attribute__((cleanup(status_done)))

#endif
