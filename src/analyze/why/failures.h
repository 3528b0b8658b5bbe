/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Failed system calls, each with the call chain of its error, and which of them matter according to
 * evidence.h. Requests in messages count as calls: the system call that sends one succeeds, and the
 * kernel's answer contains the error.
 *
 * At most FAILURES_MAX different failures are kept; later ones replace the earliest one that does
 * not matter. If memory is exhausted, failures_finish() fails. Pointers to failures are valid until
 * the next failures_feed(), strings until the failure is replaced. Times are in ns. Not
 * thread-safe.
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
	char *text; /* the call in C notation, without its result */
	/*
	 * Of the call, or "netlink:RTM_NEWLINK", "io_uring:openat"; NULL: only the number is known.
	 */
	const char *name;
	char *via; /* NETLINK: the call that sent it; NULL if unknown */
	char *said; /* the kernel's message, even if the program does not receive it; NULL: none */
	uint64_t request; /* URING: number of the request in its ring, from 1; 0 if unknown */
	uint64_t data; /* URING: the program's user data */
	int error; /* positive */
	int32_t signal; /* EINTR: the signal that was handled; 0: none or unknown */
	int32_t pid;
	uint64_t start, end; /* of the last one; @start 0 if unknown */
	uint64_t count; /* with the same text, error and call chain */
	struct evidence evidence; /* whether it matters */
	struct user_stack stack; /* user stack of the last one */
	struct blame_step *steps; /* outermost first; @inner is unset */
	size_t n_steps; /* 0: no function was seen to return the error */
};

/*
 * Initialize to zero, except for what the caller sets before the first event: @of_all, @set,
 * @command, @ending, and members of @blame and @evidences according to their headers. Must not move
 * after the first event.
 */
struct failures {
	bool of_all; /* merge equal failures of different tasks */
	struct blame blame;
	struct evidences evidences;
	struct syscall_list list;
	struct user_stacks stacks;
	struct urings urings;
	struct netlink_sockets sockets;
	struct u64_map said_pids; /* pid -> index in @said */
	char **said; /* the kernel's last message in the current call of each task; NULL: none */
	size_t n_said, cap_said;
	struct failure *pending; /* of calls that have not returned */
	size_t n_pending, cap_pending;
	struct failure_set *set; /* receives every failure; owned by the caller; NULL: not wanted */
	struct failure *found; /* ordered by last exit */
	size_t n, cap;
	uint64_t n_failed; /* number of failed calls */
	int32_t command; /* pid of the command according to the recording; 0 if unknown */
	struct process_ending ending; /* its end according to the recording */
	/* Least evidence of failures that matter; set by failures_finish(). */
	enum evidence_kind least;
	int32_t writer; /* task that last wrote known text, and when */
	uint64_t written;
	bool has_signals; /* signals were seen, in the buffer @signals */
	uint16_t signals; /* number of a buffer */
	bool has_names; /* events with the names of system calls were seen */
	bool nomem;
};

/* Call for every event, in chronological order. */
void failures_feed(struct failures *failures, const struct decoded_event *decoded);
/* No events may follow. Returns 0, or -ENOMEM if anything is missing. */
int failures_finish(struct failures *failures);
void failures_done(struct failures *failures);

/* A selection of failures to show. */
struct failure_choice {
	bool all; /* include those that do not matter, as @errors and @calls do */
	const int *errors; /* only these errors */
	size_t n_errors; /* 0: any */
	const char *const
		*calls; /* only these calls; "netlink" and "io_uring" include all their requests */
	size_t n_calls; /* 0: any */
};

/* Returns the name of a step's function, or NULL if unknown. */
const char *failures_func_name(const struct failures *failures, uint32_t func);

/* How the recorded command ended. */
enum command_outcome {
	COMMAND_UNKNOWN, /* unknown, or there was none */
	COMMAND_SUCCEEDED,
	COMMAND_FAILED,
};

enum command_outcome failures_outcome(const struct failures *failures);
struct process_ending failures_ending(const struct failures *failures);
/* Returns the process of the command, or NULL if it has no events. */
const struct process *failures_command(const struct failures *failures);
/*
 * Returns whether failure @i matters. Messages that contain an error are the strongest evidence,
 * then those that name an object; without any, the last failure counts. If the command succeeded,
 * only failures mentioned in messages matter. Call after failures_finish().
 */
bool failures_is_chosen(const struct failures *failures, size_t i);
bool failures_is_wanted(const struct failures *failures, size_t i,
			const struct failure_choice *choice);

#endif
