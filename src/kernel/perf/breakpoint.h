/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hardware breakpoints: the CPU itself stops at an access to an address. A perf event each, that
 * counts; what is to be known of each hit is read in that very moment by a small BPF program on
 * the event, which hands it to a ring of the CPU that it happened on. So the value is the one that the access
 * has left, and not one of later.
 */
#ifndef FATHOM_KERNEL_PERF_BREAKPOINT_H
#define FATHOM_KERNEL_PERF_BREAKPOINT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum breakpoint_access {
	BREAKPOINT_WRITE = 1,
	BREAKPOINT_READ_WRITE = 2, /* x86 cannot stop at reads alone */
	BREAKPOINT_EXECUTE = 4,
};

struct breakpoint {
	enum breakpoint_access access;
	uint64_t address;
	unsigned length; /* 1, 2, 4 or 8, and the address is a multiple of it; not of EXECUTE */
	bool is_kernel; /* the address is the kernel's, not a program's */
};

/* The BPF map of rings by CPU, to be made first. A file, or a negative errno. */
int breakpoint_map(unsigned n_cpus);
/* Hits on @cpu go to the event @fd, made by breakpoint_output(). */
int breakpoint_map_set(int map, unsigned cpu, int fd);
/*
 * The event whose ring gets hits, and which programs are started, forked and what they map. With @stacks
 * hits have a call chain.
 */
int breakpoint_output(unsigned cpu, bool stacks, uint32_t watermark);
/* The sample type of that event. */
uint64_t breakpoint_sample_type(bool stacks);
/* The BPF map that says how often each of @n programs ran. A file, or a negative errno. */
int breakpoint_counter(unsigned n);
/* @runs has room for @n numbers. */
int breakpoint_counter_read(int counter, uint64_t *runs);
/* The program that runs at hits of @breakpoint: puts a struct watch_raw with @which into the ring. */
int breakpoint_program(const struct breakpoint *breakpoint, int map, int counter, uint32_t which);
/*
 * The breakpoint itself, switched off, with @program. Of the task @pid and all that it will start, or,
 * with @pid -1, of all on @cpu. -ENOSPC: no slot is free.
 */
int breakpoint_open(const struct breakpoint *breakpoint, pid_t pid, int cpu, int program);
/* How many more of this kind could be opened. */
int breakpoint_slots(const struct breakpoint *breakpoint, pid_t pid, int cpu);
/* On or off, with all that it was inherited by. */
int breakpoint_switch(int fd, bool on);
/*
 * All hits so far, as the kernel has counted them. Of READ_WRITE on a program's memory it counts more: the
 * program that reads the value at a hit hits as well, once or for each byte.
 */
int breakpoint_count(int fd, uint64_t *ret_count);

#endif
