/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hardware breakpoints: the CPU traps accesses to an address. Each breakpoint is a counting perf
 * event. On each hit, a BPF program on the event reads the value at once and writes it to a ring of
 * that CPU, so the value is that of this access, not a later one.
 *
 * All objects are descriptors, to be closed by the caller; the kernel removes them when the process
 * exits. Functions return a descriptor or 0, or a negative errno, unless stated otherwise.
 */
#ifndef FATHOM_KERNEL_PERF_BREAKPOINT_H
#define FATHOM_KERNEL_PERF_BREAKPOINT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum breakpoint_access {
	BREAKPOINT_WRITE = 1,
	BREAKPOINT_READ_WRITE = 2, /* x86 cannot trap reads only */
	BREAKPOINT_EXECUTE = 4,
};

struct breakpoint {
	enum breakpoint_access access;
	uint64_t address;
	unsigned length; /* in bytes: 1, 2, 4 or 8; @address is a multiple; unused for EXECUTE */
	bool is_kernel; /* an address of the kernel, not of a program */
};

/* Creates the BPF map of rings by CPU. Must be created first, because programs refer to it. */
int breakpoint_map(unsigned n_cpus);
/* Sends the hits on @cpu to the ring of @fd, an event from breakpoint_output(). */
int breakpoint_map_set(int map, unsigned cpu, int fd);
/*
 * Opens the event whose ring receives hits, and records of exec, fork and mmap of all tasks on
 * @cpu. It wakes up readers at @watermark bytes. @stacks: hits have a call chain.
 */
int breakpoint_output(unsigned cpu, bool stacks, uint32_t watermark);
/* The sample type of that event, for reading its records. */
uint64_t breakpoint_sample_type(bool stacks);
/* Creates the BPF map that counts the runs of @n programs. */
int breakpoint_counter(unsigned n);
/* Reads the counts into @runs, which must have room for all programs. */
int breakpoint_counter_read(int counter, uint64_t *runs);
/*
 * Loads the program for hits of @breakpoint. It writes a struct watch_raw with @which to the ring,
 * and counts its runs in element @which of @counter.
 */
int breakpoint_program(const struct breakpoint *breakpoint, int map, int counter, uint32_t which);
/*
 * Opens the breakpoint, disabled, with @program: for the task @pid and its future descendants or,
 * if @pid is -1, for all tasks on @cpu. Returns -ENOSPC if no debug register is free.
 */
int breakpoint_open(const struct breakpoint *breakpoint, pid_t pid, int cpu, int program);
/* Returns how many more of this kind could be opened. Never fails. */
int breakpoint_slots(const struct breakpoint *breakpoint, pid_t pid, int cpu);
/* Enables or disables the breakpoint and all inherited copies. */
int breakpoint_switch(int fd, bool on);
/*
 * Reads the number of hits that the kernel has counted. For READ_WRITE in user memory, it is too
 * high: the BPF program that reads the value hits the breakpoint itself, once or once per byte.
 */
int breakpoint_count(int fd, uint64_t *ret_count);

#endif
