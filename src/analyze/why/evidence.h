/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which failed system calls matter, by what speaks for it: what the program wrote to its standard error, and what it did
 * afterwards. Most failures are answers that a program can do with: is there such a file, is this a terminal?
 *
 * Threads of a process are one program here.
 */
#ifndef FATHOM_ANALYZE_WHY_EVIDENCE_H
#define FATHOM_ANALYZE_WHY_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/why/failure-set.h"
#include "analyze/why/meanings.h"
#include "analyze/tasks/processes.h"
#include "analyze/syscalls/syscall-values.h"
#include "analyze/stream/user-stacks.h"
#include "base/strbuf.h"
#include "base/u64-map.h"

/* What speaks for a failure, from nothing to most. */
enum evidence_kind {
	EVIDENCE_SHARED, /* against it: a command that succeeded has it, see @shared of struct evidences */
	EVIDENCE_RETRIED, /* against it: a later attempt succeeded */
	EVIDENCE_EXPECTED, /* against it: programs ask in this way, see "expected" of the rules */
	EVIDENCE_NONE,
	EVIDENCE_LAST, /* no call failed between it and an end without success, nor was there other work */
	EVIDENCE_MESSAGE, /* the same, up to a message on standard error */
	EVIDENCE_OBJECT, /* a message has the name of what the call was about */
	EVIDENCE_ERROR, /* a message has the words of the error */
	EVIDENCE_BOTH,
	EVIDENCE_KINDS, /* how many there are */
};

/* Why the kernel sent SIGSEGV or SIGBUS. */
enum evidence_fault {
	FAULT_UNKNOWN,
	FAULT_PAGE, /* a page was touched that is not there, or not for that */
	FAULT_GENERAL, /* x86 refused, and not because of a page */
};

/* What a program did with a page. */
enum evidence_access {
	ACCESS_UNKNOWN,
	ACCESS_READ,
	ACCESS_WRITE,
	ACCESS_EXECUTE,
};

/* The page that a program got SIGSEGV or SIGBUS for. */
struct evidence_page {
	uint64_t address;
	int32_t signal, code; /* SEGV_MAPERR and SEGV_ACCERR of SIGSEGV, BUS_ADRERR of SIGBUS */
	enum evidence_access access;
};

/* What is known of a failure; part of struct failure. */
struct evidence {
	enum evidence_kind kind;
	int32_t process; /* its first thread */
	char *object; /* what the call was about: a path, a request; NULL: not known */
	uint64_t work; /* of the process, up to the failure */
	bool shared; /* whatever a message says of it */
};

struct evidence_process {
	int32_t pid;
	uint64_t work; /* calls that got something done */
	struct strbuf line; /* of standard error, so far */
	char *message; /* the first line with evidence, or else the first of all; NULL: none */
	char *last; /* without evidence: the last line; NULL: there is only one */
	bool has_evidence;
	int32_t toucher; /* the thread that touched a page that was not there, @touched; 0: none */
	struct evidence_page touched;
	enum evidence_fault fault; /* why the kernel sent a signal */
	struct evidence_page page; /* FAULT_PAGE */
	int32_t deadly; /* a signal that means that the program is wrong, the last one; 0: none */
	int32_t victim; /* the thread that gets it; 0: it is not known, or goes on */
	struct user_stack stack; /* where that was */
};

/* Zero-initialised with @meanings and @shared is empty. */
struct evidences {
	const struct meanings *meanings; /* NULL: none */
	enum value_machine machine;
	const struct failure_set
		*shared; /* of a command that succeeded; NULL: there is none to compare with */
	struct processes processes;
	struct u64_map pids; /* places in @list */
	struct evidence_process *list;
	size_t n, cap;
	bool nomem;
};

/* What a program asked the kernel for in a message, and not by a system call of its own. */
struct evidence_request {
	int32_t pid;
	uint64_t time; /* of the answer */
	const char *name; /* "io_uring:openat" */
	const char *object; /* NULL: not known */
};

struct failure;
struct listed_call;

/* To be fed with all events, in order of time, before what follows for the same event. */
void evidences_feed(struct evidences *evidences, const struct decoded_event *decoded);
/* The first thread of the process that @pid was of. */
int32_t evidences_process(const struct evidences *evidences, int32_t pid, uint64_t time);
/* A call has failed: what is known of it so far. Its object is to be freed. */
void evidences_begin(struct evidences *evidences, const struct listed_call *call, int error,
		     struct evidence *ret_evidence);
/* The same of a request, which was made with a system call that succeeded; @object may be NULL. */
void evidences_begin_request(struct evidences *evidences, const struct evidence_request *request,
			     int error, struct evidence *ret_evidence);
/* By which the failure is known from others of the same call and error; NULL: by nothing, as it was given pointers. */
const char *evidence_about(const struct failure *failure);
/* The rest of evidences_begin(), of a failure with its text: has a command that succeeded the same one? */
void evidences_compare(const struct evidences *evidences, struct failure *failure);
/* A call has succeeded, after these failures. */
void evidences_succeeded(struct evidences *evidences, const struct listed_call *call,
			 struct failure *failures, size_t n);
/* A request has succeeded, after these failures. */
void evidences_request_succeeded(struct evidences *evidences,
				 const struct evidence_request *request, struct failure *failures,
				 size_t n);
/* The program of @pid has written to its standard error; NULL: it is not known what. */
void evidences_wrote(struct evidences *evidences, int32_t pid, const char *text, size_t len,
		     struct failure *failures, size_t n);
/* Nothing more comes. -ENOMEM when something is missing. */
int evidences_finish(struct evidences *evidences, struct failure *failures, size_t n);
/*
 * What the process wrote of the error; NULL: nothing. If it is not known which line that is, the first, and in *@ret_last
 * the last if there are several; else NULL.
 */
const char *evidences_message(const struct evidences *evidences, int32_t process,
			      const char **ret_last);
/* Why the kernel sent SIGSEGV or SIGBUS to the process last. */
enum evidence_fault evidences_fault(const struct evidences *evidences, int32_t process,
				    struct evidence_page *ret_page);
/* Where in the program the thread was that got the signal @number, which ended the process; NULL: it is not known. */
const struct user_stack *evidences_stack(const struct evidences *evidences, int32_t process,
					 int32_t number);
/* The process that the command began as; NULL: it is not known. */
const struct process *evidences_command(const struct evidences *evidences);
void evidences_done(struct evidences *evidences);

#endif
