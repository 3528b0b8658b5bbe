/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * All current users of tracing, not only fathom: what is enabled in each buffer, dynamic events,
 * traced functions, BPF programs, processes with open tracing files, and leftovers of earlier
 * fathom runs. Reading it has no side effects. Anything unreadable is listed with the reason, so an
 * empty list means "none".
 *
 * Texts and lists belong to the state and are valid until trace_state_done(). A state is not an
 * atomic snapshot: tracing may change while it is read.
 */
#ifndef FATHOM_KERNEL_STATE_STATE_H
#define FATHOM_KERNEL_STATE_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include <fathom/err.h>

#include "base/arena.h"
#include "kernel/tracefs/tracefs.h"

/* A growing list of texts. */
struct text_list {
	const char **items;
	size_t count, cap;
};

/* Two related texts: a setting and its value, or an object and a reason. */
struct text_pair {
	const char *name, *text;
};

struct pair_list {
	struct text_pair *items;
	size_t count, cap;
};

/* The top-level buffer or an instance. */
struct state_buffer {
	const char *name; /* "": the top-level buffer */
	const char *tracer; /* "nop": none; "": could not be read */
	bool on; /* tracing_on */
	struct text_list events; /* enabled events: "system:event" */
	struct pair_list settings; /* file and value, if different from those after boot */
};

struct buffer_list {
	struct state_buffer *items;
	size_t count, cap;
};

/* A callback of ftrace, and the number of functions that call it. */
struct state_callback {
	const char *name;
	size_t functions;
};

struct callback_list {
	struct state_callback *items;
	size_t count, cap;
};

struct state_bpf {
	unsigned int id; /* program ID */
	const char *type; /* "kprobe", "tracing", ... */
	const char *name; /* chosen by its author, may be "" */
	const char *target; /* what it is attached to; "" if unknown */
};

struct bpf_list {
	struct state_bpf *items;
	size_t count, cap;
};

/* A process with open tracing files. */
struct state_holder {
	long pid;
	const char *comm;
	const char *what; /* "perf event", "BPF program", "BPF link", or a tracefs file */
	size_t count; /* number of open files of this kind */
};

struct holder_list {
	struct state_holder *items;
	size_t count, cap;
};

struct state_leftover {
	const char *kind; /* "instance", "event", "journal" */
	const char *name;
	long pid; /* a process that has it open; 0: none that is visible */
};

struct leftover_list {
	struct state_leftover *items;
	size_t count, cap;
};

struct trace_state {
	struct arena arena; /* owns all texts */
	struct buffer_list buffers; /* the top-level one first; empty if tracefs cannot be read */
	struct text_list dynamic_events; /* their definitions */
	size_t functions; /* number of traced functions */
	struct callback_list callbacks;
	struct bpf_list bpf;
	struct holder_list holders;
	struct leftover_list leftovers;
	struct pair_list unseen; /* what could not be read, and why */
	bool no_memory; /* used while reading */
};

/*
 * Reads the state. @root as for tracefs_find(), which also returned @tracefs. Returns 0 or -ENOMEM.
 */
int trace_state_read(const char *root, const struct tracefs *tracefs, struct trace_state *ret_state,
		     struct fathom_err *err);
void trace_state_done(struct trace_state *state);
#define _cleanup_trace_state_ __attribute__((cleanup(trace_state_done)))

/* Returns whether a tracer or an event is enabled in this buffer. Settings alone have no effect. */
bool state_buffer_active(const struct state_buffer *buffer);
/* Returns whether any visible user is tracing. */
bool trace_state_active(const struct trace_state *state);

#endif
