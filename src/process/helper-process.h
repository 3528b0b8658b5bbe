/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Starts, reaps and terminates helper processes: forks of this process that serve requests over a
 * socket and never outlive it. Their privileges are up to the function that they run: see
 * process/confined.h, process/broker.h.
 */
#ifndef FATHOM_PROCESS_HELPER_PROCESS_H
#define FATHOM_PROCESS_HELPER_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include <fathom/err.h>

struct helper_process {
	int fd; /* our end of the socket; -1: closed, or there is no process */
	pid_t pid; /* 0: none, or reaped */
	int status; /* exit status, as from waitpid(2) */
};

#define HELPER_PROCESS_NONE \
	{                   \
		.fd = -1    \
	}

struct helper_process_options {
	/* Runs in the process, which exits when this returns; @fd is its end of the socket. */
	void (*serve)(int fd, void *data);
	void *data;
	bool is_stream; /* a stream of bytes; otherwise messages, which may carry files */
	bool keeps_files; /* keep all descriptors; otherwise only the socket, as descriptor 0 */
	int buffer; /* bytes that the socket holds in each direction; 0: the default */
};

/*
 * Starts the process. It ignores SIGINT, which Ctrl-C also sends to us, and is killed when the
 * thread that started it exits. Returns 0 or a negative errno.
 */
int helper_process_start(struct helper_process *process,
			 const struct helper_process_options *options, struct fathom_err *err);
/*
 * Closes the socket, upon which the process exits, and reaps it. A process that has not exited a second later is
 * killed.
 */
void helper_process_done(struct helper_process *process);
/* Likewise for a process that may have to finish its work: waits without a limit. */
void helper_process_finish(struct helper_process *process);
/*
 * Kills the process and reaps it; one that had exited before keeps its status. In a sandbox, which
 * forbids this, the process is left to its resource limits.
 */
void helper_process_kill(struct helper_process *process);
/* Reaps the process if it exits within @timeout_ms. Returns false if it has not. */
bool helper_process_exits(struct helper_process *process, int timeout_ms);

/* As fork(2), but the child is killed when the thread that started it exits. */
pid_t helper_process_fork(void);
/*
 * Waits for a child process, at most @timeout_ms; -1: as long as it takes. Returns 0 with the status of waitpid(2),
 * -ETIMEDOUT, or another negative errno.
 */
int helper_process_reap(pid_t pid, int timeout_ms, int *ret_status);

#endif
