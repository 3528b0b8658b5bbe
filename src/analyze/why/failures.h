/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System calls that failed, each with the way on which its error came, and which of them
 * matter, by evidence.h. Requests in messages count as calls do: the system call that they are made with succeeds, and the
 * error is in the kernel's answer.
 *
 * At most FAILURES_MAX different ones are kept; later ones take the place of the earliest that
 * do not matter.
 */
#ifndef FATHOM_ANALYZE_WHY_FAILURES_H
#define FATHOM_ANALYZE_WHY_FAILURES_H

#include "analyze/why/blame.h"
#include "analyze/why/evidence.h"
#include "analyze/syscalls/netlink.h"
#include "analyze/syscalls/syscall-list.h"
#include "analyze/syscalls/urings.h"
#include "analyze/stream/user-stacks.h"

#define FAILURES_MAX 512

enum failure_kind {
	FAILURE_CALL,
	FAILURE_NETLINK,
	FAILURE_URING,
};

struct failure {
	enum failure_kind kind;
	char *text; /* the call, as in C, without its result */
	const char *
		name; /* of the call, or "netlink:RTM_NEWLINK", "io_uring:openat"; NULL: only its number is known */
	char *via; /* NETLINK: the call that sent it; NULL: not known */
	char *said; /* what the kernel said of it, though the program may not get that; NULL: nothing */
	uint64_t request; /* URING: which one of its ring, from 1 on; 0: not known */
	uint64_t data; /* URING: what the program calls it */
	int error; /* positive */
	int32_t signal; /* EINTR: whose handler ran; 0: not known, or none did */
	int32_t pid;
	uint64_t start, end; /* of the last one; @start 0: not known */
	uint64_t count; /* of the same text, error and way */
	struct evidence evidence; /* that it matters */
	struct user_stack stack; /* of the program, of the last one */
	struct blame_step *steps; /* from the outermost on; @inner is not set */
	size_t n_steps; /* 0: nobody was seen to return it */
};

/* Zero-initialised with @blame as its own header says. */
struct failures {
	bool of_all; /* the same call of another task counts as the same */
	struct blame blame;
	struct evidences evidences;
	struct syscall_list list;
	struct user_stacks stacks;
	struct urings urings;
	struct netlink_sockets sockets;
	struct u64_map said_pids; /* places in @said */
	char **said; /* what the kernel said last in the call that a task is in; NULL: nothing */
	size_t n_said, cap_said;
	struct failure *pending; /* of calls that have not ended */
	size_t n_pending, cap_pending;
	struct failure_set *set; /* gets every failure; NULL: not wanted */
	struct failure *found; /* in the order of their last ends */
	size_t n, cap;
	uint64_t n_failed; /* calls */
	int32_t command; /* the process that the recording says was run; 0: it does not say */
	struct process_ending ending; /* of that, as the recording says */
	enum evidence_kind least; /* from which on a failure matters; known at the end */
	int32_t writer; /* who wrote text that is known, last, and when */
	uint64_t written;
	bool has_signals; /* signals were seen, in @signals */
	uint16_t signals; /* a buffer */
	bool has_names; /* system calls were seen whose events have their names */
	bool nomem;
};

/* To be fed with all events, in order of time. */
void failures_feed(struct failures *failures, const struct decoded_event *decoded);
/* Nothing more comes. -ENOMEM when something is missing. */
int failures_finish(struct failures *failures);
void failures_done(struct failures *failures);

/* Which failures somebody wants to see. */
struct failure_choice {
	bool all; /* also those that do not matter, as with @errors and @calls */
	const int *errors; /* only these */
	size_t n_errors; /* 0: any */
	const char *const
		*calls; /* only these system calls, or "netlink", "io_uring" for all of that */
	size_t n_calls; /* 0: any */
};

/* The name of a function of a step; NULL: it is not known. */
const char *failures_func_name(const struct failures *failures, uint32_t func);

/* How the command ended that was recorded. */
enum command_outcome {
	COMMAND_UNKNOWN, /* it is not known, or there was none */
	COMMAND_SUCCEEDED,
	COMMAND_FAILED,
};

enum command_outcome failures_outcome(const struct failures *failures);
struct process_ending failures_ending(const struct failures *failures);
/* NULL: nothing was seen of it. */
const struct process *failures_command(const struct failures *failures);
/*
 * Does it matter? What a message says of an error comes first, then what it names; only if no message says anything the
 * last failure counts. Of a command that succeeded only those matter of which it wrote.
 */
bool failures_is_chosen(const struct failures *failures, size_t i);
bool failures_is_wanted(const struct failures *failures, size_t i,
			const struct failure_choice *choice);

#endif
