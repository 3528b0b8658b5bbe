/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records the return values of thousands of kernel functions for chosen tasks, with one BPF program
 * on a kprobe.multi link that writes to per-CPU rings. For most functions, a value matters only if
 * it is an error, or if an error preceded it in the same system call: the caller of a failed
 * function may have handled the failure.
 *
 * All kernel objects are descriptors of this process, so the kernel removes them when it exits,
 * even by SIGKILL. Functions return 0 or a negative errno. If return_probes_init() or
 * return_probes_attach() fails, the caller still has to call return_probes_done().
 */
#ifndef FATHOM_KERNEL_EVENTS_RETURN_PROBES_H
#define FATHOM_KERNEL_EVENTS_RETURN_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A function whose return values are to be recorded. */
struct return_probe {
	uint64_t address; /* as in the kernel's list of traceable functions */
	uint8_t size; /* of the return value, in bytes; 0: unknown */
	bool is_signed;
	bool is_answer; /* record all values, not only errors */
	bool is_outer; /* outermost in a system call: its return clears the error state */
	/*
	 * Hook the function, but discard its return values, because function_graph also traces it.
	 * Linux 6.14 to 7.2 call the return handler in the first of fgraph's 16 slots even for
	 * functions that only another slot hooks, and warn. Slots are assigned in turn, so this
	 * would happen every sixteenth time.
	 */
	bool is_unwanted;
};

/* A record in the ring. */
struct return_raw {
	uint64_t value; /* of the register, see return_probe_result() */
	uint32_t which; /* index in the list of functions */
	uint32_t unused;
};

/* Descriptors; -1: not open. */
struct return_probes {
	int rings; /* map: CPU to ring */
	int tasks; /* map: tasks to record */
	int functions; /* map: address to what to record */
	int program, follower; /* follower: adds new tasks to the map */
	int link, fork;
};

#define RETURN_PROBES_NONE                                                                \
	{                                                                                 \
		.rings = -1, .tasks = -1, .functions = -1, .program = -1, .follower = -1, \
		.link = -1, .fork = -1                                                    \
	}

/*
 * Returns whether the kernel supports this and there is no function_graph user to disturb. Finds
 * out by attaching to a function that is never called.
 */
bool return_probes_are_possible(int tracefs);
/*
 * Creates maps and programs for the @n functions of @list. *@probes must be RETURN_PROBES_NONE.
 * @tracefs is a descriptor of the tracefs directory, for the format of sched_process_fork.
 */
int return_probes_init(struct return_probes *probes, const struct return_probe *list, size_t n,
		       int tracefs, unsigned n_cpus);
/* Sends the records of @cpu to the ring of @fd, an event from return_probes_output(). */
int return_probes_set_ring(const struct return_probes *probes, unsigned cpu, int fd);
/*
 * Opens the event whose ring receives the records of @cpu, and wakes up readers at @watermark
 * bytes. Returns a descriptor, to be closed by the caller, or a negative errno.
 */
int return_probes_output(unsigned cpu, uint32_t watermark);
/* The sample type of that event, for reading its records. */
uint64_t return_probes_sample_type(void);
/* Records the task @tid and all tasks that it starts from now on. */
int return_probes_add_task(const struct return_probes *probes, pid_t tid);
/*
 * Starts recording. Attaches to all functions in one call, so that the kernel patches them
 * together.
 */
int return_probes_attach(struct return_probes *probes, const struct return_probe *list, size_t n);
/* Stops recording. The maps and programs remain. */
void return_probes_detach(struct return_probes *probes);
/* Stops recording and closes all descriptors. Can be called again. */
void return_probes_done(struct return_probes *probes);

/* Converts the value of a register to the type of the function: its upper bits are undefined. */
int64_t return_probe_result(const struct return_probe *probe, uint64_t value);

#endif
