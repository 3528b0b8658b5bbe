/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Determines which failed system calls matter, from the program's standard error and its activity
 * afterwards. Most failures are answers that a program can handle: does a file exist, is this a
 * terminal?
 *
 * The threads of a process are one program here. Uses memory per process. If it is exhausted,
 * @nomem is set, and evidence is missing. Times are in ns. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_WHY_EVIDENCE_H
#define FATHOM_ANALYZE_WHY_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/tasks/processes.h"
#include "analyze/syscalls/syscall-values.h"
#include "base/u64-map.h"

struct evidence_process;
struct failure;
struct failure_set;
struct listed_call;
struct meanings;
struct user_stack;

/* Evidence for a failure, weakest first. */
enum evidence_kind {
	/* Against: it also occurs in a successful command; see struct evidences.shared. */
	EVIDENCE_SHARED,
	EVIDENCE_RETRIED, /* against: a later attempt succeeded */
	EVIDENCE_EXPECTED, /* against: programs probe like this; rule "expected" */
	EVIDENCE_NONE,
	EVIDENCE_LAST, /* the last failure before an unsuccessful end, without work in between */
	EVIDENCE_MESSAGE, /* likewise, before a message on standard error */
	EVIDENCE_OBJECT, /* a message contains the name of the call's object */
	EVIDENCE_ERROR, /* a message contains the text of the error */
	EVIDENCE_BOTH,
	EVIDENCE_KINDS, /* number of kinds */
};

/* Why the kernel sent SIGSEGV or SIGBUS. */
enum evidence_fault {
	FAULT_UNKNOWN,
	FAULT_PAGE, /* access to a page that does not exist or does not permit it */
	FAULT_GENERAL, /* general protection fault of x86, not about a page */
};

/* How a program accessed a page. */
enum evidence_access {
	ACCESS_UNKNOWN,
	ACCESS_READ,
	ACCESS_WRITE,
	ACCESS_EXECUTE,
};

/* The page for which a program got SIGSEGV or SIGBUS. */
struct evidence_page {
	uint64_t address;
	int32_t signal, code; /* SIGSEGV: SEGV_MAPERR or SEGV_ACCERR; SIGBUS: BUS_ADRERR */
	enum evidence_access access;
};

/* What is known about a failure; part of struct failure. */
struct evidence {
	enum evidence_kind kind;
	int32_t process; /* pid of its first thread */
	char *object; /* a path or request, to be freed; NULL if unknown */
	uint64_t work; /* @work of the process at the failure */
	bool shared; /* also occurs in a successful command */
};

/* Initialize to zero, except for @meanings, @machine and @shared, which must outlive it. */
struct evidences {
	const struct meanings *meanings; /* NULL: none */
	enum value_machine machine;
	const struct failure_set *shared; /* failures of a successful command; NULL: no comparison */
	struct processes processes;
	struct u64_map pids; /* pid of the first thread -> index in @list */
	struct evidence_process *list;
	size_t n, cap;
	bool nomem;
};

/*
 * A request that a program made in a message rather than by a system call. Strings belong to the
 * caller.
 */
struct evidence_request {
	int32_t pid;
	uint64_t time; /* of the answer */
	const char *name; /* "io_uring:openat" */
	const char *object; /* NULL if unknown */
};

/* Call for every event, in chronological order, before any of the following for the same event. */
void evidences_feed(struct evidences *evidences, const struct decoded_event *decoded);
/* Returns the pid of the first thread of the process that @pid belonged to. */
int32_t evidences_process(const struct evidences *evidences, int32_t pid, uint64_t time);
/* A call has failed: fills in what is known so far. The caller frees the object. */
void evidences_begin(struct evidences *evidences, const struct listed_call *call, int error,
		     struct evidence *ret_evidence);
/* The same for a request, sent by a system call that succeeded. */
void evidences_begin_request(struct evidences *evidences, const struct evidence_request *request,
			     int error, struct evidence *ret_evidence);
/*
 * Returns the text that distinguishes the failure from others of the same call and error, or NULL
 * if there is none, because the arguments contain pointers. Belongs to the failure.
 */
const char *evidence_about(const struct failure *failure);
/*
 * Completes evidences_begin() for a failure with its text: compares it with the failures of the
 * successful command.
 */
void evidences_compare(const struct evidences *evidences, struct failure *failure);
/* A call has succeeded after these failures. */
void evidences_succeeded(struct evidences *evidences, const struct listed_call *call,
			 struct failure *failures, size_t n);
/* A request has succeeded after these failures. */
void evidences_request_succeeded(struct evidences *evidences,
				 const struct evidence_request *request, struct failure *failures,
				 size_t n);
/* The process of @pid has written to its standard error; @text is NULL if the text is unknown. */
void evidences_wrote(struct evidences *evidences, int32_t pid, const char *text, size_t len,
		     struct failure *failures, size_t n);
/* Call after all events. Returns 0, or -ENOMEM if evidence is missing. */
int evidences_finish(struct evidences *evidences, struct failure *failures, size_t n);
/*
 * Returns what the process wrote about the error, or NULL. If the line is not known, returns the
 * first one, and in *@ret_last the last one if there are several, otherwise NULL. Valid until
 * the process writes more.
 */
const char *evidences_message(const struct evidences *evidences, int32_t process,
			      const char **ret_last);
/* Returns why the kernel last sent SIGSEGV or SIGBUS to the process. */
enum evidence_fault evidences_fault(const struct evidences *evidences, int32_t process,
				    struct evidence_page *ret_page);
/*
 * Returns the user stack of the thread that got the fatal signal @number, or NULL if unknown. Valid
 * until the next evidences_feed().
 */
const struct user_stack *evidences_stack(const struct evidences *evidences, int32_t process,
					 int32_t number);
/*
 * Returns the first process of the command, or NULL if unknown. Valid until the next
 * evidences_feed().
 */
const struct process *evidences_command(const struct evidences *evidences);
void evidences_done(struct evidences *evidences);

#endif
