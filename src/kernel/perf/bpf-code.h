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
/* The same, comparing with another register. */
#define CODE_JUMP_IF_REG(how, reg, other, off_)              \
	((struct bpf_insn){ .code = BPF_JMP | (how) | BPF_X, \
			    .dst_reg = (reg),                \
			    .src_reg = (other),              \
			    .off = (off_) })
#define CODE_JUMP ((struct bpf_insn){ .code = BPF_JMP | BPF_JA })
/* Calculates with 64 bits: register with number, register with register. */
#define CODE_MATH(how, reg, number) \
	((struct bpf_insn){         \
		.code = BPF_ALU64 | (how) | BPF_K, .dst_reg = (reg), .imm = (int32_t)(number) })
#define CODE_MATH_REG(how, reg, other) \
	((struct bpf_insn){            \
		.code = BPF_ALU64 | (how) | BPF_X, .dst_reg = (reg), .src_reg = (other) })
/* Stores a register or a number at an offset from a register. */
#define CODE_PUT_REG(size, to, at, from)                        \
	((struct bpf_insn){ .code = BPF_STX | BPF_MEM | (size), \
			    .dst_reg = (to),                    \
			    .off = (int16_t)(at),               \
			    .src_reg = (from) })
#define CODE_PUT(size, to, at, number)                         \
	((struct bpf_insn){ .code = BPF_ST | BPF_MEM | (size), \
			    .dst_reg = (to),                   \
			    .off = (int16_t)(at),              \
			    .imm = (number) })
#define CODE_CALL(function) ((struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .imm = (function) })
#define CODE_LEAVE	    ((struct bpf_insn){ .code = BPF_JMP | BPF_EXIT })

#define BPF_CODE_MAX 2048 /* instructions */

/* Empty when zero-initialized. A program that is too long cannot be loaded. */
struct bpf_code {
	struct bpf_insn list[BPF_CODE_MAX];
	uint32_t n; /* exceeds BPF_CODE_MAX if the program is too long */
};

static inline void bpf_emit(struct bpf_code *code, struct bpf_insn insn)
{
	if (code->n < BPF_CODE_MAX)
		code->list[code->n] = insn;
	code->n++;
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

/* The size of a load or store of @size bytes: 1, 2, 4 or 8. */
static inline unsigned bpf_size(unsigned size)
{
	return size == 1 ? BPF_B : size == 2 ? BPF_H : size == 4 ? BPF_W : BPF_DW;
}

/*
 * Loads a number of @size bytes at offset @from of the context, which is in register 6, into
 * register 0, extended to 64 bits. Registers 1 to 5 are changed. The 8 bytes of the stack frame at
 * @scratch are used if the number is not aligned, as the kernel refuses such loads.
 */
static inline void bpf_emit_field(struct bpf_code *code, uint32_t from, unsigned size,
				  bool is_signed, int scratch)
{
	if (from % size == 0) {
		bpf_emit(code, CODE_LOAD(bpf_size(size), BPF_REG_0, BPF_REG_6, (int16_t)from));
	} else {
		bpf_emit(code, CODE_STORE(BPF_DW, (int16_t)scratch, 0));
		bpf_emit_place(code, BPF_REG_1, scratch);
		bpf_emit(code, CODE_SET(BPF_REG_2, (int32_t)size));
		bpf_emit(code, CODE_MOVE(BPF_REG_3, BPF_REG_6));
		bpf_emit(code, CODE_ADD(BPF_REG_3, (int32_t)from));
		bpf_emit(code, CODE_CALL(BPF_FUNC_probe_read_kernel));
		bpf_emit(code, CODE_LOAD(bpf_size(size), BPF_REG_0, BPF_REG_10, (int16_t)scratch));
	}
	if (is_signed && size < 8) {
		bpf_emit(code, CODE_MATH(BPF_LSH, BPF_REG_0, 64 - 8 * size));
		bpf_emit(code, CODE_MATH(BPF_ARSH, BPF_REG_0, 64 - 8 * size));
	}
}

/* Makes the next emitted instruction the target of the jump at @from. */
static inline void bpf_land(struct bpf_code *code, uint32_t from)
{
	if (from < BPF_CODE_MAX)
		code->list[from].off = (int16_t)(code->n - from - 1);
}

/* Jumps to one place that is not emitted yet. Empty when zero-initialized. */
struct bpf_jumps {
	uint32_t from[BPF_CODE_MAX];
	uint32_t n;
};

/* Emits a jump whose target is the place of the next bpf_land_all(). */
static inline void bpf_emit_jump(struct bpf_code *code, struct bpf_jumps *jumps,
				 struct bpf_insn insn)
{
	if (jumps->n < BPF_CODE_MAX)
		jumps->from[jumps->n++] = code->n;
	bpf_emit(code, insn);
}

/* Makes the next emitted instruction the target of all @jumps, and empties them. */
static inline void bpf_land_all(struct bpf_code *code, struct bpf_jumps *jumps)
{
	for (uint32_t i = 0; i < jumps->n; i++)
		bpf_land(code, jumps->from[i]);
	jumps->n = 0;
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
 * descriptor or a negative errno: -E2BIG if the program is too long.
 */
static inline int bpf_code_load(const struct bpf_code *code, enum bpf_prog_type type,
				uint32_t attach, const char *name)
{
	union bpf_attr attr;

	if (code->n > BPF_CODE_MAX)
		return -E2BIG;
	memset(&attr, 0, sizeof(attr));
	attr.prog_type = type;
	attr.expected_attach_type = attach;
	attr.insns = bpf_ptr(code->list);
	attr.insn_cnt = code->n;
	attr.license = bpf_ptr("GPL");
	snprintf(attr.prog_name, sizeof(attr.prog_name), "%s", name);
	return bpf_make(BPF_PROG_LOAD, &attr);
}

/*
 * Loads a program for the entry or the exit (@attach: BPF_TRACE_FENTRY, BPF_TRACE_FEXIT) of the
 * function of the kernel with the ID @function in its BTF. Attach it with bpf_code_attach().
 */
static inline int bpf_code_load_tracing(const struct bpf_code *code, uint32_t attach,
					uint32_t function, const char *name)
{
	union bpf_attr attr;

	if (code->n > BPF_CODE_MAX)
		return -E2BIG;
	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_TRACING;
	attr.expected_attach_type = attach;
	attr.attach_btf_id = function;
	attr.insns = bpf_ptr(code->list);
	attr.insn_cnt = code->n;
	attr.license = bpf_ptr("GPL");
	snprintf(attr.prog_name, sizeof(attr.prog_name), "%s", name);
	return bpf_make(BPF_PROG_LOAD, &attr);
}

/* Returns the descriptor of a link, which detaches the program when closed, or a negative errno. */
static inline int bpf_code_attach(int program)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.raw_tracepoint.prog_fd = (uint32_t)program;
	return bpf_call(BPF_RAW_TRACEPOINT_OPEN, &attr, sizeof(attr));
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
