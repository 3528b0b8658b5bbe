/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What thousands of kernel functions return to the tasks of a command: one BPF program on all of them at once
 * (kprobe.multi), which hands results to a ring of the CPU. Of most functions a result is of interest only
 * when it is an error, or when something before it in the same system call was: the caller of a function
 * that failed may have dealt with that. Programs and links are files of this process: when it ends,
 * also by kill -9, the kernel removes everything.
 */
#ifndef FATHOM_KERNEL_EVENTS_RETURN_PROBES_H
#define FATHOM_KERNEL_EVENTS_RETURN_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A function whose results are wanted. */
struct return_probe {
	uint64_t address; /* as the kernel's list of traceable functions has it */
	uint8_t size; /* of the result in bytes; 0: not known */
	bool is_signed;
	bool is_answer; /* each result means something, whether it is an error or not */
	bool is_outer; /* it is what a system call begins with: nothing of interest is before its end */
	/*
	 * Nothing is wanted: it is hooked because function_graph traces it as well. The kernel (6.14 to 7.2) calls the handler of
	 * returns of whoever has the first of its 16 places also for functions that only another one of them asked for, and
	 * warns then. Places are given in turn, so this would be every sixteenth time.
	 */
	bool is_unwanted;
};

/* What the program puts into the ring. */
struct return_raw {
	uint64_t value; /* of the register */
	uint32_t which; /* of the functions */
	uint32_t unused;
};

/* A file each, or -1. */
struct return_probes {
	int rings; /* the map of rings by CPU */
	int tasks; /* the map of tasks whose results are wanted */
	int functions; /* the map of what is wanted of each function, by its address */
	int program, follower; /* follower: gets new tasks into the map */
	int link, fork;
};

#define RETURN_PROBES_NONE                                                                \
	{                                                                                 \
		.rings = -1, .tasks = -1, .functions = -1, .program = -1, .follower = -1, \
		.link = -1, .fork = -1                                                    \
	}

/*
 * Can this kernel do it now, that is, without harm to function_graph of somebody else? It is tried out on no function that
 * anything else calls.
 */
bool return_probes_are_possible(int tracefs);
/*
 * Makes maps and programs for these functions. @tracefs has the format of sched_process_fork. 0 or a negative errno.
 */
int return_probes_init(struct return_probes *probes, const struct return_probe *list, size_t n,
		       int tracefs, unsigned n_cpus);
/* Results on @cpu go to the ring of the event @fd, made by return_probes_output(). */
int return_probes_set_ring(const struct return_probes *probes, unsigned cpu, int fd);
/* The event whose ring gets results, and its sample type. */
int return_probes_output(unsigned cpu, uint32_t watermark);
uint64_t return_probes_sample_type(void);
/* Results of this task, and of all that it will start, are wanted. */
int return_probes_add_task(const struct return_probes *probes, pid_t tid);
/* Begins: it is one call for all functions. */
int return_probes_attach(struct return_probes *probes, const struct return_probe *list, size_t n);
/* Ends it. */
void return_probes_detach(struct return_probes *probes);
void return_probes_done(struct return_probes *probes);

/* The result in its type: what the register holds beyond it means nothing. */
int64_t return_probe_result(const struct return_probe *probe, uint64_t value);

#endif
