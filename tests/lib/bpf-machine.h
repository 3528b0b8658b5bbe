/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interprets BPF programs, so that what is emitted can be tested without a kernel. Stricter than
 * needed: a jump back, an access outside of the stack frame, the context or a map value, and a read
 * of a register that is not set fail the test.
 */
#ifndef FATHOM_TESTS_BPF_MACHINE_H
#define FATHOM_TESTS_BPF_MACHINE_H

#include <stdint.h>

#include "kernel/perf/bpf-code.h"

#define BPF_MACHINE_MAPS    8
#define BPF_MACHINE_ENTRIES 4096

struct bpf_machine_map {
	uint32_t key_size, value_size, max;
	bool is_array;
	uint32_t n;
	uint8_t *keys, *values; /* of @max entries */
	bool *used;
};

/* What a program can ask for. Maps are known by their index plus 1 as descriptor. */
struct bpf_machine {
	const void *context;
	size_t context_size;
	uint64_t pid_tgid, cpu, now;
	char comm[16];
	int64_t stack; /* result of bpf_get_stackid() */
	const void *memory; /* outside of the context, readable by pointers */
	size_t memory_size;
	struct bpf_machine_map maps[BPF_MACHINE_MAPS];
};

/* Adds a map. Returns its descriptor. */
int bpf_machine_add_map(struct bpf_machine *machine, bool is_array, uint32_t key_size,
			uint32_t value_size, uint32_t max);
/* Returns the value of a key, or NULL. */
void *bpf_machine_find(struct bpf_machine *machine, int map, const void *key);
/* Returns whether entry @i of a map is in use, with pointers to its key and value. */
bool bpf_machine_entry(struct bpf_machine *machine, int map, uint32_t i, const void **ret_key,
		       void **ret_value);
/* Runs the program and returns its result. */
uint64_t bpf_machine_run(struct bpf_machine *machine, const struct bpf_code *code);
void bpf_machine_done(struct bpf_machine *machine);

#endif
