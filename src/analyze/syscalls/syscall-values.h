/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The meaning of system call arguments: tables with the names of values and flags, and the
 * arguments to which they apply. Immutable; all strings are static. Output is appended to a strbuf,
 * which keeps track of -ENOMEM.
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

/* A set of names. Lists end with a row without a name. */
struct value_set {
	/* Values of the bits in @one_mask, of which one applies; NULL: none. */
	const struct value_name *one;
	uint64_t one_mask;
	const struct value_name *bits; /* flags, any of which may be set; NULL: none */
	const char *zero; /* name of 0 if no list has it; NULL: "0" */
	bool varies; /* differs between architectures */
};

enum argument_kind {
	ARGUMENT_PLAIN, /* according to its type */
	ARGUMENT_FD, /* file descriptor */
	ARGUMENT_DIR_FD, /* likewise, or AT_FDCWD */
	ARGUMENT_ADDRESS,
	ARGUMENT_OCTAL,
	ARGUMENT_PATH, /* the first path that the call looks up */
	ARGUMENT_SET,
	ARGUMENT_FCNTL, /* depends on the command */
};

struct argument_rule {
	const char *calls; /* words; NULL: any call */
	const char *names; /* words: names of arguments */
	enum argument_kind kind;
	const struct value_set *set; /* ARGUMENT_SET */
};

/* The architecture on which the calls were made, for sets that vary. */
enum value_machine {
	MACHINE_GENERIC, /* RISC-V and others with the generic numbers, or unknown */
	MACHINE_X86, /* has the generic numbers */
	MACHINE_ARM,
	MACHINE_OTHER, /* has numbers that are not known here */
};

/*
 * Returns the architecture from the last word of uname's output ("x86_64", "aarch64"). NULL:
 * unknown.
 */
enum value_machine value_machine_of(const char *uname);

/* Returns the rule for an argument, or NULL. */
const struct argument_rule *argument_rule_find(const char *call, const char *argument);
/*
 * Appends "O_WRONLY|O_CREAT|0x40000000"; hexadecimal if the numbers of the architecture are
 * unknown.
 */
void value_set_put(struct strbuf *buf, const struct value_set *set, enum value_machine machine,
		   uint64_t value);
/*
 * Returns the set of an fcntl() command's argument. NULL: a number, or, if not *@ret_has, unused.
 */
const struct value_set *fcntl_argument(uint64_t command, bool *ret_has);
/* Returns whether the call returns an address. */
bool syscall_returns_address(const char *call);
/* Returns whether the call returns a file descriptor. */
bool syscall_returns_file(const char *call);
/* Appends "S_IFCHR|0600". */
void file_mode_put(struct strbuf *buf, uint64_t mode);

#define AT_FDCWD_VALUE (-100)
#define ERROR_LIMIT    4095 /* results from -4095 to -1 are errors */

#endif
