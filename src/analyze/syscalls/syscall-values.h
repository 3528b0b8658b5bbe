/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the numbers mean that system calls are given: names for values and bits, and which
 * argument of which call has which. Only facts, in tables; syscall-args.c uses them.
 */
#ifndef FATHOM_ANALYZE_SYSCALLS_SYSCALL_VALUES_H
#define FATHOM_ANALYZE_SYSCALLS_SYSCALL_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

struct value_name {
	uint64_t value;
	const char *name;
};

/* A list ends with a row without a name. */
struct value_set {
	const struct value_name *one; /* of which one is in the bits @one_mask; NULL: none */
	uint64_t one_mask;
	const struct value_name *bits; /* each of which may be there; NULL: none */
	const char *zero; /* what stands for 0 when no list says it; NULL: "0" */
	bool varies; /* kernels of some machines number them differently */
};

enum argument_kind {
	ARGUMENT_PLAIN, /* as its type says */
	ARGUMENT_FD, /* a number of an open file */
	ARGUMENT_DIR_FD, /* the same, or AT_FDCWD */
	ARGUMENT_ADDRESS,
	ARGUMENT_OCTAL,
	ARGUMENT_PATH, /* the first path that the kernel looks for in the call */
	ARGUMENT_SET,
	ARGUMENT_FCNTL, /* what it means depends on the command */
};

struct argument_rule {
	const char *calls; /* words; NULL: all that have an argument of that name */
	const char *names; /* of arguments */
	enum argument_kind kind;
	const struct value_set *set; /* ARGUMENT_SET */
};

/* The machine on which the calls were made, for sets that vary. */
enum value_machine {
	MACHINE_GENERIC, /* RISC-V and others that have the common numbers, or it is not known */
	MACHINE_X86, /* has the common numbers */
	MACHINE_ARM,
	MACHINE_OTHER, /* has numbers of its own, which are not known here */
};

/* By the last word of what uname tells ("x86_64", "aarch64"). */
enum value_machine value_machine_of(const char *uname);

/* The rule for an argument, or NULL. */
const struct argument_rule *argument_rule_find(const char *call, const char *argument);
/* "O_WRONLY|O_CREAT|0x40000000"; in hex when the machine's numbers are not known. */
void value_set_put(struct strbuf *buf, const struct value_set *set, enum value_machine machine,
		   uint64_t value);
/* The set of what an fcntl() of this command is given; NULL with *@ret_has: a plain number. */
const struct value_set *fcntl_argument(uint64_t command, bool *ret_has);
/* Does the call return an address? */
bool syscall_returns_address(const char *call);
/* Or the number of an open file? */
bool syscall_returns_file(const char *call);
/* "S_IFCHR|0600" */
void file_mode_put(struct strbuf *buf, uint64_t mode);

#define AT_FDCWD_VALUE (-100)
#define ERROR_LIMIT    4095 /* results from -4095 to -1 are errors */

#endif
