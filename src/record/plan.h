/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a user wants recorded, and how it is set up in the kernel. A plan is filled by the
 * caller; plan_apply() finds each buffer a place and sets everything there through a
 * session, with tracing off. Names that this kernel does not have are told with those
 * that come near, and what the kernel refuses with the kernel's own reason.
 */
#ifndef FATHOM_RECORD_PLAN_H
#define FATHOM_RECORD_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <fathom/err.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "record/price/overhead.h"
#include "record/price/probe-cost.h"
#include "record/session/session.h"
#include "symbols/probe/probe.h"

struct session_env;

/* Strings that the caller keeps alive. */
struct plan_words {
	const char **list;
	size_t n, cap;
};

/* More functions of programs are not probed unless the plan says yes. */
#define PLAN_USERS_MAX 2000

/* Systems of events that sessions make for themselves begin with this. */
#define PLAN_PROBE_GROUP "fathom_"
/* Suffix of the group of perf twins; see plan-probes.c. */
#define PLAN_STACK_GROUP "_stacks"

struct plan_event {
	const char *name; /* SYSTEM, EVENT, SYSTEM:EVENT, "all"; globs in each part */
	/*
	 * NULL, or what makes it an event of the session's own: a function and what to take from
	 * it, "do_filp_open path=+0(+0($arg2)):string". Its name is @name alone then.
	 */
	const char *probe;
	/*
	 * NULL, or what a user wrote for it, as in fathom-probes(7). @name and @probe are the
	 * same text then, and @name becomes the event's when it is made.
	 */
	const struct probe *expression;
	struct plan_set *set; /* that it is one of; NULL: it stands for itself */
	const char *filter; /* NULL: none */
	struct plan_words triggers;
	bool off; /* to be left out, or for its triggers only */
	bool made; /* of an expression: it is in the kernel, under @name */
	size_t found; /* events of the kernel that it stands for; after plan_preview() */
};

/* Where a buffer would be. */
enum plan_place {
	PLAN_PLACE_PRIVATE, /* an instance of the session's own */
	PLAN_PLACE_INSTANCE, /* an instance of the buffer's name, which is made */
	PLAN_PLACE_EXISTING, /* the same, which is there already */
	PLAN_PLACE_TOP, /* the top level */
	PLAN_PLACE_UNKNOWN, /* whether instances have the tracer is known when there is one */
};

struct plan_buffer_preview {
	enum plan_place place;
	size_t cpus; /* that have a ring */
	size_t events; /* of the kernel's own */
	size_t functions; /* that the tracer can meet */
};

struct plan_buffer {
	const char *name; /* of the instance; "": the main one */
	const char *tracer; /* NULL: events only */
	struct plan_event *events;
	size_t n_events, cap_events;
	struct plan_words functions; /* to trace: names, globs, or regular expressions with ^ or $ */
	struct plan_words not_functions;
	struct plan_words untraced; /* these alone are left out, not what they call */
	struct plan_words graph_functions; /* these and what they call */
	struct plan_words options; /* "NAME" or "noNAME" */
	struct plan_words returns, args; /* functions whose results, arguments are recorded */
	struct plan_words errors; /* whose results are recorded where their type can hold an errno */
	const char *module; /* of the functions; NULL: of any */
	const char *clock;
	const char *cpumask; /* hexadecimal, or "-1" */
	unsigned long size_kb; /* for each CPU; 0: plan_default_size() */
	unsigned long subbuf_kb; /* 0: as the kernel has it */
	bool stack, func_stack; /* a stack with each event, with each function */
	bool of_all; /* its events are those of all tasks, whatever the plan's @pids are */
	bool user_stack; /* the stack of the program with each event */
	bool unwound; /* of these, they are copied by perf and unwound: see record/samples/samples.h */

	struct session_place *place; /* after plan_apply(); with plan.changes perhaps before */
	bool waits; /* the tracer is for plan_start_tracers() */
	bool late; /* it can be set last: nothing else depends on it */
	struct plan_buffer_preview preview; /* after plan_preview() */
};

/* Many probes that were asked for at once. */
struct plan_set {
	const char *text; /* what the user wrote */
	bool is_return;
	bool errors_only; /* not of functions whose type cannot hold an errno */
	size_t fit; /* functions that the text fits */
	size_t made;
	size_t nothing; /* that return nothing, or take nothing */
	size_t untyped; /* whose parameters are not known */
	size_t blacklisted, refused;
	char reason[160]; /* of the first refusal */
	struct plan_set *next;
};

/* What the probes of sets may cost, in percent of a CPU, unless it is said. */
#define PLAN_BUDGET 5

struct plan {
	struct plan_buffer *buffers; /* at least the main one, which comes first */
	size_t n, cap;
	pid_t *pids; /* only these are traced; none: all are */
	size_t n_pids, cap_pids;
	bool children; /* and what they start */
	/*
	 * The buffers are in use: what is not asked for stays as it is. Those that have a place
	 * already are set up there.
	 */
	bool changes;
	/*
	 * Tracers of functions are left for plan_start_tracers(), where nothing else depends on them: while one
	 * is on, all else takes longer.
	 */
	bool late_tracers;
	const struct functions
		*functions; /* that can be traced, where they were read before; NULL: not yet */
	bool ignore_missing; /* events that this kernel does not have */
	bool force; /* put aside what somebody else traces */
	bool no_function_trace; /* by tracers that trace functions besides */
	bool no_ftrace; /* by nobody on this machine */
	bool yes; /* make probes however many they are, whatever they cost, or if they can end a program */
	double budget; /* for sets of probes, in percent of a CPU; 0: PLAN_BUDGET */
	/*
	 * The functions of programs whose beginnings and ends are recorded: "[FILE:]GLOB,...", and all
	 * of @program when @all_user_functions is set. Without a FILE, @program is meant.
	 */
	struct plan_words user_functions;
	bool all_user_functions;
	const char *program; /* a path; NULL: not known */
	const char
		*vmlinux; /* the kernel's file with debug information; NULL: where such files are */
	struct plan_words watches; /* memory, "[FILE:]WHAT"; plan_apply() does nothing for it */
	bool has_depth;
	unsigned long depth; /* of calls, for function_graph */
	unsigned long
		total_kb; /* of ring for all CPUs together, where a buffer has no size; 0: none */
	unsigned long cmdlines; /* tasks whose names the kernel remembers; 0: enough */

	struct strbuf enums; /* names of numbers in its probes; see symbols/probe/probe.h */
	struct strbuf
		users; /* the functions, for the recording; see symbols/probe/probed-functions.h */
	struct strbuf notes; /* what the user should know, a line each; after plan_apply() */
	bool wants_symbols, wants_types; /* for the metadata; after plan_apply() */
	struct plan_set *sets; /* after plan_apply() */
	struct {
		size_t user_entries, user_returns; /* probes at functions of programs */
	} preview; /* after plan_preview() */
	bool wants_maps; /* there will be addresses of programs; after plan_apply() */
	struct arena arena; /* of expressions and sets */
};

/* Adds the main buffer. 0 or -ENOMEM, as all that add. */
int plan_init(struct plan *plan);
void plan_done(struct plan *plan);
#define _cleanup_plan_ __attribute__((cleanup(plan_done)))

int plan_add_buffer(struct plan *plan, const char *name);
int plan_add_event(struct plan_buffer *buffer, const char *name, bool off);
/*
 * Several of one name: the first that the kernel can make is taken. When it can make none, that is
 * noted.
 */
int plan_add_probe(struct plan_buffer *buffer, const char *name, const char *probe);
/*
 * Adds a probe of the session's own to the buffer that was added last; @text is an expression as
 * in fathom-probes(7). -EINVAL with a message that points into it, or -ENOMEM.
 */
int plan_add_expression(struct plan *plan, const char *text, struct fathom_err *err);
int plan_add_pid(struct plan *plan, pid_t pid);
int plan_words_add(struct plan_words *words, const char *word);
/* The one that was added last, to which options apply. */
static inline struct plan_buffer *plan_last(struct plan *plan)
{
	return &plan->buffers[plan->n - 1];
}

/* Is its tracer one of functions? */
bool plan_traces_functions(const struct plan_buffer *buffer);

/* Kilobytes of ring for each CPU that suit this machine when nothing is asked for. */
unsigned long plan_default_size(const char *root, size_t n_cpus);

/*
 * Makes events of all that stands for many functions, as plan_apply() does before all else: for who only wants
 * to know them. @types may be NULL.
 */
int plan_expand_sets(struct plan *plan, struct types *types, const struct session_env *env,
		     struct fathom_err *err);
/* Notes what has become of them; -ENOENT when there is one of which nothing was made. */
int plan_tell_sets(struct plan *plan, struct fathom_err *err);
/* Sets all of it, with tracing off in each place. What was changed the session puts back. */
int plan_apply(struct plan *plan, struct session *session, struct fathom_err *err);
/*
 * plan-preview.c: Finds out what plan_apply() would set, and whether that can be, as far as it is known by reading: nothing
 * is changed. Errors are those of plan_apply(), but for what only the kernel can refuse.
 */
int plan_preview(struct plan *plan, const struct session_env *env, struct fathom_err *err);
/* Sets the tracers that wait. */
int plan_start_tracers(struct plan *plan, struct session *session, struct fathom_err *err);
/* Takes those that can wait away until plan_start_tracers(): also a tracer that records nothing costs time. */
int plan_pause_tracers(struct plan *plan, struct session *session, struct fathom_err *err);
/*
 * plan-look.c: Traces while @work runs, which returns 0 or a negative errno, and says how many events that made in each
 * buffer. To be called before the rings are open.
 */
int plan_try(const struct plan *plan, int (*work)(void *data), void *data, uint64_t *ret_events,
	     struct fathom_err *err);
/* Is it a plan whose cost a look can tell: functions of the whole machine? */
bool plan_may_look(const struct plan *plan);
/*
 * Traces for a moment, and says what that cost; @scale is that of record/plan.h. To be called when all is set,
 * tracers included, before the rings are open. 0, and no cost, when only few functions are traced, or 1.
 */
int plan_look(const struct plan *plan, double scale, struct overhead_cost *ret_cost,
	      struct fathom_err *err);
/* How many hits the kernel has not recorded of the probes that the session has made. */
uint64_t plan_missed(const struct plan *plan, const struct session *session);
/* Keeps threads of ours out of all its places. */
int plan_exclude(struct plan *plan, struct session *session, const pid_t *pids, size_t n,
		 struct fathom_err *err);
/* Opens tracing_on of each place; @fds has room for plan->n. Close them before anything is put back. */
int plan_open_switches(const struct plan *plan, int *fds, struct fathom_err *err);

/*
 * Prices: what an event of a buffer costs, before and while it is recorded. The table of docs/cost.md says how
 * the kinds compare to an untraced system call; how long that takes on this machine is measured. The
 * product is an estimate, and whoever shows it says so.
 */

/*
 * How much slower this machine is than that of the table (below 1: quicker), by the time of a system call. Takes some
 * milliseconds; to be called before functions are traced, which makes system calls slower.
 */
double event_price_scale(void);
/* The same where that time is known: untraced. */
double event_price_scale_of(double syscall_ns);
/*
 * That time, for who shows it: the shortest of some measurements, which others on the CPU disturb less. Takes less than
 * 100 milliseconds.
 */
double event_price_syscall_ns(void);
/*
 * Nanoseconds of an event of @buffer, in those of the table: that of the dearest kind in it, as the rings
 * do not count kinds. What stacks cost that come with events is not in it.
 */
double event_price_ns(const struct plan *plan, const struct plan_buffer *buffer);
/* What a plan records that has a price: kinds of events, calls and probes. Tracers of latencies have none. */
void event_price_kinds(const struct plan *plan, bool ret_kinds[PROBE_COST_KINDS]);

#endif
