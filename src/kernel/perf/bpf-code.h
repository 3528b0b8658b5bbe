/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Assembles BPF programs from instructions, without a compiler or object files at run time.
 * Descriptors of programs and maps are closed by the caller; the kernel frees the objects with
 * their last descriptor.
 */
#ifndef FATHOM_KERNEL_PERF_BPF_CODE_H
#define FATHOM_KERNEL_PERF_BPF_CODE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "kernel/perf/bpf-call.h"

#define CODE_MOVE(to, from) \
	((struct bpf_insn){ \
		.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = (to), .src_reg = (from) })
#define CODE_SET(to, number) \
	((struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (to), .imm = (number) })
/* Clears the upper half of the register. */
#define CODE_SET32(to, number) \
	((struct bpf_insn){ .code = BPF_ALU | BPF_MOV | BPF_K, .dst_reg = (to), .imm = (number) })
#define CODE_ADD(to, number) \
	((struct bpf_insn){ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = (to), .imm = (number) })
#define CODE_STORE(size, at, number)                           \
	((struct bpf_insn){ .code = BPF_ST | BPF_MEM | (size), \
			    .dst_reg = BPF_REG_10,             \
			    .off = (at),                       \
			    .imm = (number) })
#define CODE_STORE_REG(size, at, from)                          \
	((struct bpf_insn){ .code = BPF_STX | BPF_MEM | (size), \
			    .dst_reg = BPF_REG_10,              \
			    .off = (at),                        \
			    .src_reg = (from) })
#define CODE_LOAD(size, to, from, at)                           \
	((struct bpf_insn){ .code = BPF_LDX | BPF_MEM | (size), \
			    .dst_reg = (to),                    \
			    .src_reg = (from),                  \
			    .off = (at) })
/* Skips @off instructions if the comparison of the register with the number is true. */
#define CODE_JUMP_IF(how, reg, number, off_)                 \
	((struct bpf_insn){ .code = BPF_JMP | (how) | BPF_K, \
			    .dst_reg = (reg),                \
			    .off = (off_),                   \
			    .imm = (number) })
#define CODE_CALL(function) ((struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .imm = (function) })
#define CODE_LEAVE	    ((struct bpf_insn){ .code = BPF_JMP | BPF_EXIT })

/*
 * Empty when zero-initialized. bpf_emit() does not check for overflow: the length of a program does
 * not depend on input.
 */
struct bpf_code {
	struct bpf_insn list[80];
	uint32_t n;
};

static inline void bpf_emit(struct bpf_code *code, struct bpf_insn insn)
{
	code->list[code->n++] = insn;
}

/* Loads a 64-bit number or, with @source BPF_PSEUDO_MAP_FD, the map with this descriptor. */
static inline void bpf_emit_number(struct bpf_code *code, unsigned to, unsigned source,
				   uint64_t number)
{
	bpf_emit(code, (struct bpf_insn){ .code = BPF_LD | BPF_DW, /* BPF_IMM is 0 */
					  .dst_reg = to & 15,
					  .src_reg = source & 15,
					  .imm = (int32_t)(uint32_t)number });
	bpf_emit(code, (struct bpf_insn){ .imm = (int32_t)(uint32_t)(number >> 32) });
}

/* Loads the address of the stack slot at offset @at. */
static inline void bpf_emit_place(struct bpf_code *code, unsigned to, int at)
{
	bpf_emit(code, CODE_MOVE(to & 15, BPF_REG_10));
	bpf_emit(code, CODE_ADD(to & 15, at));
}

/* Makes the next emitted instruction the target of the jump at @from. */
static inline void bpf_land(struct bpf_code *code, uint32_t from)
{
	code->list[from].off = (int16_t)(code->n - from - 1);
}

/*
 * Kernels before 5.11 charge maps and programs to RLIMIT_MEMLOCK when they are created. The limit
 * is restored, because a command that is started later inherits it.
 */
static inline int bpf_make(enum bpf_cmd command, union bpf_attr *attr)
{
	const struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	struct rlimit before;
	bool is_raised = getrlimit(RLIMIT_MEMLOCK, &before) == 0 &&
			 setrlimit(RLIMIT_MEMLOCK, &all) == 0;
	int r = bpf_call((int)command, attr, sizeof(*attr));

	if (is_raised)
		(void)setrlimit(RLIMIT_MEMLOCK, &before);
	return r;
}

/*
 * Loads a program to be attached to @attach, which is 0 for types that need none. Returns a
 * descriptor or a negative errno.
 */
static inline int bpf_code_load(const struct bpf_code *code, enum bpf_prog_type type,
				uint32_t attach, const char *name)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = type;
	attr.expected_attach_type = attach;
	attr.insns = bpf_ptr(code->list);
	attr.insn_cnt = code->n;
	attr.license = bpf_ptr("GPL");
	snprintf(attr.prog_name, sizeof(attr.prog_name), "%s", name);
	return bpf_make(BPF_PROG_LOAD, &attr);
}

/* Creates a map of @n entries. Returns a descriptor or a negative errno. */
static inline int bpf_map_new(enum bpf_map_type type, uint32_t key_size, uint32_t value_size,
			      uint32_t n, const char *name)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = type;
	attr.key_size = key_size;
	attr.value_size = value_size;
	attr.max_entries = n;
	snprintf(attr.map_name, sizeof(attr.map_name), "%s", name);
	return bpf_make(BPF_MAP_CREATE, &attr);
}

/* Sets an entry of a map. Returns 0 or a negative errno. */
static inline int bpf_map_put(int map, const void *key, const void *value)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = (uint32_t)map;
	attr.key = bpf_ptr(key);
	attr.value = bpf_ptr(value);
	return bpf_call(BPF_MAP_UPDATE_ELEM, &attr, sizeof(attr));
}

#endif
