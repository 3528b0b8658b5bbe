/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program or library as needed for probes: the offset of each function in its file. Names come
 * from .symtab and .dynsym, the debug file, or .gnu_debugdata; each place in the file has one
 * function. The file is untrusted and read once, when it is opened. A program keeps the file open,
 * and is immutable.
 */
#ifndef FATHOM_SYMBOLS_USER_USER_PROGRAM_H
#define FATHOM_SYMBOLS_USER_USER_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/strbuf.h"
#include "symbols/elf/elf-file.h"
#include "symbols/elf/symbol-table.h"

struct user_program {
	char *path; /* as given to user_program_open() */
	int fd;
	struct elf_file elf;
	struct symbol_builder symbols; /* sorted */
	unsigned lack; /* see elf-symbols.h */
};

struct user_function {
	const char *name; /* as in the file; valid as long as the program */
	uint64_t offset; /* in the file, as the kernel expects it */
	uint64_t size; /* in bytes; 0: unknown */
	/*
	 * The function is selected when the file is loaded, and this is the resolver, so a probe
	 * here is not hit by calls.
	 */
	bool is_indirect;
	/*
	 * A cold part that a function jumps to: it is not called, so it must not have a return
	 * probe.
	 */
	bool is_piece;
};

/* For an elf_opener: confined_open(). */
int user_program_open_file(void *data, const char *path);
/*
 * Opens the file with the debug information: the program or its debug file. Returns a descriptor,
 * to be closed by the caller, or a negative errno.
 */
int user_program_open_debug(const struct user_program *program);
/*
 * Returns 0, or a negative errno with a message, for example if there is no such file or it is not
 * an ELF file.
 */
int user_program_open(const char *path, struct user_program **ret_program, struct fathom_err *err);
void user_program_free(struct user_program *program);
DEFINE_CLEANUP(struct user_program, user_program_free);

/*
 * Finds the functions called @name, or with names that match the glob @name; several can have the
 * same name. Returns them in the order of the file, one per place, in @arena; a glob does not match
 * cold parts. A name or glob with "::" refers to the C++ or Rust source, with or without
 * parameters. Returns 0, even if there are none, -EINVAL for an invalid glob, or -ENOMEM.
 */
int user_program_find(const struct user_program *program, const char *name, struct arena *arena,
		      struct user_function **ret_functions, size_t *ret_n, struct fathom_err *err);
/* Returns the most similar name of a function, or NULL. */
const char *user_program_nearest(const struct user_program *program, const char *name);
/* Returns the address, as in the file, of the symbol @name. False: there is none, or several. */
bool user_program_symbol(const struct user_program *program, const char *name,
			 uint64_t *ret_address);
/* Returns the function that contains the code at @address, and its start. NULL: unknown. */
const char *user_program_function_at(const struct user_program *program, uint64_t address,
				     uint64_t *ret_start);
/* Returns whether this byte of the file is code. */
bool user_program_has_code(const struct user_program *program, uint64_t offset);
/*
 * Returns whether it was compiled by Go. Go moves stacks, including return addresses replaced by a
 * return probe, which crashes the program.
 */
bool user_program_is_go(const struct user_program *program);
/* Returns whether the instruction at @offset can have an optimized probe: a "nop" of five bytes. */
bool user_program_has_nop5(const struct user_program *program, uint64_t offset);

/*
 * Appends "p:GROUP/EVENT PATH:0xOFFSET", or "r:..." for the return; values can be appended to it.
 * @counter is the file offset of a marker's counter, or 0.
 */
void user_probe_line(struct strbuf *line, bool is_return, const char *group, const char *event,
		     const char *path, uint64_t offset, uint64_t counter);
/* Returns whether the kernel accepts this path in such a line: it must not contain white space. */
bool user_probe_path_is_possible(const char *path);

#endif
