/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What to record, and how it is set up in the kernel. The caller fills in a plan; plan_apply()
 * finds a place for each buffer, and sets up everything there through a session, with tracing off.
 * Errors about unknown names suggest similar ones, and errors about rejected settings contain the
 * kernel's reason.
 *
 * Functions return 0 or a negative errno. One thread may use a plan at a time.
 */
#ifndef FATHOM_RECORD_PLAN_H
#define FATHOM_RECORD_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <fathom/err.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "record/price/overhead.h"
#include "record/price/probe-cost.h"

struct functions;
struct probe;
struct session;
struct session_env;
struct session_place;
struct types;

/* Strings that belong to the caller, and must outlive the plan. */
struct plan_words {
	const char **list;
	size_t n, cap;
};

/* Probing more user functions requires plan.yes. */
#define PLAN_USERS_MAX 2000

/* Prefix of the event groups that sessions create. */
#define PLAN_PROBE_GROUP "fathom_"
/* Suffix of the group of perf twins; see plan-probes.c. */
#define PLAN_STACK_GROUP "_stacks"

struct plan_event {
	const char *name; /* SYSTEM, EVENT, SYSTEM:EVENT or "all"; each part can be a glob */
	/*
	 * NULL, or the definition of an event that the session creates: a function and its
	 * arguments, "do_filp_open path=+0(+0($arg2)):string". Its name is @name.
	 */
	const char *probe;
	/*
	 * NULL, or the parsed expression of a user, see fathom-probes(7). @name and @probe are its
	 * text, until the event is created and @name becomes the name of the event.
	 */
	const struct probe *expression;
	struct plan_set *set; /* the set that it is part of, or NULL */
	const char *filter; /* NULL: none */
	struct plan_words triggers;
	bool off; /* exclude it, or use it for its triggers only */
	bool made; /* of an expression: it exists, and is called @name */
	size_t found; /* number of matching events; set by plan_preview() */
};

/* Where a buffer will be. */
enum plan_place {
	PLAN_PLACE_PRIVATE, /* a private instance of the session */
	PLAN_PLACE_INSTANCE, /* an instance with the name of the buffer, to be created */
	PLAN_PLACE_EXISTING, /* the same, which exists already */
	PLAN_PLACE_TOP, /* the top level */
	PLAN_PLACE_UNKNOWN, /* depends on whether instances support the tracer, which is unknown */
};

struct plan_buffer_preview {
	enum plan_place place;
	size_t cpus; /* number of CPUs with a ring */
	size_t events; /* number of kernel events */
	size_t functions; /* number of functions that will be traced */
};

struct plan_buffer {
	const char *name; /* of the instance; "": the main one */
	const char *tracer; /* NULL: events only */
	struct plan_event *events;
	size_t n_events, cap_events;
	struct plan_words functions; /* to trace: names, globs, or regular expressions (^ or $) */
	struct plan_words not_functions;
	struct plan_words untraced; /* excluded, but not their callees */
	struct plan_words graph_functions; /* to trace, together with their callees */
	struct plan_words options; /* "NAME" or "noNAME" */
	struct plan_words returns, args; /* functions whose return values, arguments to record */
	struct plan_words errors; /* functions whose errors to record, if they can return any */
	const char *module; /* of the functions; NULL: any */
	const char *clock;
	const char *cpumask; /* hexadecimal, or "-1" */
	unsigned long size_kb; /* per CPU; 0: plan_buffer_size() */
	unsigned long subbuf_kb; /* 0: keep the kernel's */
	bool stack, func_stack; /* a stack trace with each event, with each function */
	bool of_all; /* record its events in all tasks, regardless of the plan's @pids */
	bool user_stack; /* a user stack trace with each event */
	bool unwound; /* perf copies these stacks to unwind them: see record/samples/samples.h */

	struct session_place *place; /* set by plan_apply(), or by the caller for plan.changes */
	bool waits; /* the tracer is left to plan_start_tracers() */
	bool late; /* the tracer can be set last: nothing else depends on it */
	struct plan_buffer_preview preview; /* set by plan_preview() */
};

/* Many probes that were requested together. */
struct plan_set {
	const char *text; /* in the user's words */
	bool is_return;
	bool errors_only; /* not of functions whose type cannot hold an errno */
	size_t fit; /* number of functions that match the text */
	size_t made; /* number of functions that are probed */
	size_t nothing; /* number of functions that return, or take, nothing */
	size_t untyped; /* number of functions with unknown parameters */
	size_t blacklisted, refused;
	char reason[160]; /* for the first rejection */
	struct plan_set *next;
};

/* The default limit for the cost of the probes of sets, in percent of one CPU. */
#define PLAN_BUDGET 5

struct plan {
	struct plan_buffer *buffers; /* at least the main one, which is the first */
	size_t n, cap;
	pid_t *pids; /* the tasks to trace; none: all */
	size_t n_pids, cap_pids;
	bool children; /* also trace what these start */
	/*
	 * The buffers are in use: settings that are not requested stay as they are. Buffers that
	 * have a place are set up there.
	 */
	bool changes;
	/*
	 * Leave function tracers to plan_start_tracers(), if nothing else depends on them: while
	 * one is active, everything else is slower.
	 */
	bool late_tracers;
	const struct functions *functions; /* traceable ones, if already read; belong to the caller */
	bool ignore_missing; /* ignore events that this kernel does not have */
	bool force; /* take over what others trace; restored later */
	bool no_function_trace; /* no function tracing by latency tracers */
	bool no_ftrace; /* no function tracing by anybody on this machine */
	bool yes; /* probe regardless of number and cost, and even if that can crash a program */
	double budget; /* for sets of probes, in percent of one CPU; 0: PLAN_BUDGET */
	/*
	 * User functions to record: "[FILE:]GLOB,...", and all of @program if @all_user_functions.
	 * Without a FILE, the functions are in @program.
	 */
	struct plan_words user_functions;
	bool all_user_functions;
	const char *program; /* path; NULL: unknown */
	const char *vmlinux; /* kernel image with debug information; NULL: search for it */
	struct plan_words watches; /* memory to watch, "[FILE:]WHAT"; ignored by plan_apply() */
	bool has_depth;
	unsigned long depth; /* call depth for function_graph */
	unsigned long total_kb; /* of all rings together, if a buffer has no size; 0: default */
	unsigned long cmdlines; /* how many task names the kernel remembers; 0: enough */

	/*
	 * Called by plan_apply() for each probe, because thousands take long: how many of @total it has created, or
	 * enabled. NULL: don't.
	 */
	void (*progress)(void *data, const char *what, size_t done, size_t total);
	void *progress_data;

	struct strbuf enums; /* names of enums in its probes; see symbols/probe/probe.h */
	struct strbuf users; /* table for the recording; see symbols/probe/probed-functions.h */
	struct strbuf notes; /* lines for the user; set by plan_apply() */
	bool wants_symbols, wants_types; /* for the metadata; set by plan_apply() */
	struct plan_set *sets; /* set by plan_apply() */
	struct {
		size_t user_entries, user_returns; /* probes of user functions */
	} preview; /* set by plan_preview() */
	bool wants_maps; /* user addresses will be recorded; set by plan_apply() */
	struct arena arena; /* owns expressions and sets */
};

/*
 * Initializes a plan with the main buffer. This and all functions that add something return 0 or
 * -ENOMEM. Strings are not copied, and must outlive the plan.
 */
int plan_init(struct plan *plan);
void plan_done(struct plan *plan);
#define _cleanup_plan_ __attribute__((cleanup(plan_done)))

int plan_add_buffer(struct plan *plan, const char *name);
int plan_add_event(struct plan_buffer *buffer, const char *name, bool off);
/*
 * Several can have the same name: the first one that the kernel accepts is created. If it accepts
 * none, that is noted.
 */
int plan_add_probe(struct plan_buffer *buffer, const char *name, const char *probe);
/*
 * Adds a user-defined probe to the last buffer; @text is an expression of fathom-probes(7). Returns
 * -EINVAL with the offset of the error in @text, or -ENOMEM.
 */
int plan_add_expression(struct plan *plan, const char *text, struct fathom_err *err);
int plan_add_pid(struct plan *plan, pid_t pid);
int plan_words_add(struct plan_words *words, const char *word);
/* The last buffer that was added, to which options apply. Valid until the next one is added. */
static inline struct plan_buffer *plan_last(struct plan *plan)
{
	return &plan->buffers[plan->n - 1];
}

/* Returns whether its tracer is function or function_graph. */
bool plan_traces_functions(const struct plan_buffer *buffer);

/* Returns a default for the ring of each CPU, in KB, that suits the memory of this machine. */
unsigned long plan_default_size(const char *root, size_t n_cpus);

/*
 * Creates an event for each function that a set matches, as plan_apply() does first. For callers
 * that only want to know them. @types may be NULL.
 */
int plan_expand_sets(struct plan *plan, struct types *types, const struct session_env *env,
		     struct fathom_err *err);
/* Adds notes about the result of each set. Returns -ENOENT if a set has no probe at all. */
int plan_tell_sets(struct plan *plan, struct fathom_err *err);
/*
 * Sets up everything, with tracing off in each place. The session restores all changes, even after
 * a failure.
 */
int plan_apply(struct plan *plan, struct session *session, struct fathom_err *err);
/*
 * plan-preview.c: finds out what plan_apply() would do, and whether it can succeed, by reading
 * only. Returns the errors of plan_apply(), except for those that only the kernel can find.
 */
int plan_preview(struct plan *plan, const struct session_env *env, struct fathom_err *err);
/* Sets the tracers that were left to this. */
int plan_start_tracers(struct plan *plan, struct session *session, struct fathom_err *err);
/*
 * Removes the tracers that can be set later, until plan_start_tracers(): even if nothing is
 * recorded, a tracer costs time.
 */
int plan_pause_tracers(struct plan *plan, struct session *session, struct fathom_err *err);
/*
 * plan-look.c: traces while @work runs, and counts the events of each buffer in @ret_events, which
 * has plan->n elements. @work returns 0 or a negative errno. To be called before rings are open;
 * the buffers are empty afterwards.
 */
int plan_try(const struct plan *plan, int (*work)(void *data), void *data, uint64_t *ret_events,
	     struct fathom_err *err);
/*
 * Returns whether plan_look() makes sense: functions of the whole machine are traced, without
 * triggers.
 */
bool plan_may_look(const struct plan *plan);
/*
 * Traces for 0.1 seconds and estimates the overhead; @scale is that of event_price_scale(). To be
 * called when everything is set up, including tracers, and before rings are open. Returns 1, or 0
 * without an estimate if only few functions are traced, or a negative errno.
 */
int plan_look(const struct plan *plan, double scale, struct overhead_cost *ret_cost,
	      struct fathom_err *err);
/* Returns how many hits the kernel has missed, of all probes of the session. */
uint64_t plan_missed(const struct plan *plan, const struct session *session);
/* What of interrupts is not recorded while excluded tasks run; flags. */
enum plan_hides {
	PLAN_HIDES_EVENTS = 1,
	PLAN_HIDES_CALLS = 2,
};
/*
 * plan-exclude.c: excludes tasks of fathom from all places of the plan, after their events were
 * enabled; unless @always, not from events that they rarely cause and interrupts do. Returns flags
 * of enum plan_hides, or a negative errno.
 */
int plan_exclude(struct plan *plan, struct session *session, const pid_t *pids, size_t n,
		 bool always, struct fathom_err *err);
/* For that: whether one of the lines of @events, "SYSTEM:EVENT", can come from an interrupt. */
bool plan_has_interrupts(const char *events);
/*
 * For that: adds an event filter that passes what is not of these tasks, and interrupts. @pids are
 * in ascending order, at least one.
 */
void plan_exclude_filter(struct strbuf *filter, const pid_t *pids, size_t n);
/*
 * Opens tracing_on of each place; @fds has plan->n elements. The caller closes them, before
 * anything is restored.
 */
int plan_open_switches(const struct plan *plan, int *fds, struct fathom_err *err);

/*
 * Prices: the time that an event of a buffer costs. docs/cost.md compares each kind of event with
 * an untraced system call, and the time of that is measured on this machine. The product is an
 * estimate, to be presented as one.
 */

/*
 * Measures how much slower system calls are on this machine than in docs/cost.md (less than 1:
 * faster). Takes some milliseconds; to be called before functions are traced, which slows down
 * system calls.
 */
double event_price_scale(void);
/* The same from a known duration of an untraced system call. */
double event_price_scale_of(double syscall_ns);
/*
 * Measures that duration: the shortest of several results, which are the least disturbed. Takes
 * less than 100 milliseconds.
 */
double event_price_syscall_ns(void);
/*
 * Returns the price of an event of @buffer in nanoseconds, on the machine of docs/cost.md: that of
 * the most expensive kind in it, because rings are not counted by kind. Stack traces are not
 * included.
 */
double event_price_ns(const struct plan *plan, const struct plan_buffer *buffer);
/* Returns which kinds of events, calls and probes a plan records. Latency tracers have no price. */
void event_price_kinds(const struct plan *plan, bool ret_kinds[PROBE_COST_KINDS]);

#endif
