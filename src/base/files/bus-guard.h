/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Survives truncation of a mapped file. The owner of a file can truncate it at any time, and an access
 * beyond the new end raises SIGBUS. With this handler installed, such pages read as zeros and the file is
 * flagged, so that the caller can discard what it read.
 */
#ifndef FATHOM_BASE_FILES_BUS_GUARD_H
#define FATHOM_BASE_FILES_BUS_GUARD_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

/* A private mapping. Both the mapping and this struct must outlive the process's last access. */
struct guarded_file {
	const uint8_t *start;
	size_t size;
	volatile sig_atomic_t is_cut; /* truncated since it was mapped */
	struct guarded_file *next;
};

/* Installs the SIGBUS handler; for single-threaded workers. Returns 0 or a negative errno. */
int bus_guard_install(void);
void bus_guard_add(struct guarded_file *file);
/* Returns the number of pages replaced so far. If it changes during a read, discard the result. */
unsigned bus_guard_count(void);

#endif
