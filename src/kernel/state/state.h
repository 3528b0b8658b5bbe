/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is being traced right now, by whoever: what each buffer has switched on,
 * dynamic events, functions in use, BPF programs, processes that hold tracing
 * files open, and what earlier runs of fathom have left. Looking changes nothing.
 * What could not be seen is listed too, with the reason, so that an empty list
 * means "nothing".
 */
#ifndef FATHOM_KERNEL_STATE_STATE_H
#define FATHOM_KERNEL_STATE_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include <fathom/err.h>

#include "base/arena.h"
#include "kernel/tracefs/tracefs.h"

/* Growing list of texts. */
struct text_list {
	const char **items;
	size_t count, cap;
};

/* Two texts that belong together: a setting and its value, a thing and a reason. */
struct text_pair {
	const char *name, *text;
};

struct pair_list {
	struct text_pair *items;
	size_t count, cap;
};

/* The main buffer or an instance. */
struct state_buffer {
	const char *name; /* "" is the main buffer */
	const char *tracer; /* "nop" is none; "" could not be read */
	bool on; /* tracing_on */
	struct text_list events; /* switched on: "system:event" */
	struct pair_list settings; /* what is not as after boot: file and value */
};

struct buffer_list {
	struct state_buffer *items;
	size_t count, cap;
};

/* Who gets called when functions run, and from how many. */
struct state_callback {
	const char *name;
	size_t functions;
};

struct callback_list {
	struct state_callback *items;
	size_t count, cap;
};

struct state_bpf {
	unsigned int id; /* of the program */
	const char *type; /* "kprobe", "tracing", ... */
	const char *name; /* the author's, may be empty */
	const char *target; /* what it is attached to; "" when the kernel does not tell */
};

struct bpf_list {
	struct state_bpf *items;
	size_t count, cap;
};

/* A process that has tracing files open. */
struct state_holder {
	long pid;
	const char *comm;
	const char *what; /* "perf event", "BPF program", or a tracefs file */
	size_t count; /* of files of this kind */
};

struct holder_list {
	struct state_holder *items;
	size_t count, cap;
};

struct state_leftover {
	const char *kind; /* "instance", "event", "journal" */
	const char *name;
	long pid; /* who has it open now; 0: nobody that can be seen */
};

struct leftover_list {
	struct state_leftover *items;
	size_t count, cap;
};

struct trace_state {
	struct arena arena; /* of all texts */
	struct buffer_list buffers; /* the main one first; empty when tracefs can't be read */
	struct text_list dynamic_events; /* their definitions */
	size_t functions; /* being traced now */
	struct callback_list callbacks;
	struct bpf_list bpf;
	struct holder_list holders;
	struct leftover_list leftovers;
	struct pair_list unseen; /* what, and why */
	bool no_memory;
};

/* Looks. @root as for tracefs_find(), @tracefs from there. 0 or -ENOMEM. */
int trace_state_read(const char *root, const struct tracefs *tracefs, struct trace_state *ret_state,
		     struct fathom_err *err);
void trace_state_done(struct trace_state *state);
#define _cleanup_trace_state_ __attribute__((cleanup(trace_state_done)))

/* Is anything switched on in this buffer? Settings alone do nothing. */
bool state_buffer_active(const struct state_buffer *buffer);
/* Is anybody tracing, as far as can be seen? */
bool trace_state_active(const struct trace_state *state);

#endif
