/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program or library as probes see it: where in its file each function begins. Names are
 * those of .symtab and .dynsym, of its debug file or its .gnu_debugdata; of one place in the file
 * there is one function. It is read once, when it is opened.
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
#include "symbols/elf/elf-symbols.h"

struct user_program {
	char *path; /* as it was opened */
	int fd;
	struct elf_file elf;
	struct symbol_builder symbols; /* sorted */
	unsigned lack; /* see elf-symbols.h */
};

struct user_function {
	const char *name; /* as in the file; lives as long as the program */
	uint64_t offset; /* in the file, which is how the kernel wants it */
	uint64_t size; /* bytes; 0: not known */
	/*
	 * The function is chosen among several when the file is loaded, and at the offset is the code
	 * that chooses: a probe there does not see calls.
	 */
	bool is_indirect;
	/* A piece that a function jumps to: nothing calls it, so no probe of its return may be made. */
	bool is_piece;
};

/* For an elf_opener: confined_open(). */
int user_program_open_file(void *data, const char *path);
/* Opens what has its debug information: itself, or a file of its own. A file or a negative errno. */
int user_program_open_debug(const struct user_program *program);
/* 0, or a negative errno with a message: no such file, no ELF file. */
int user_program_open(const char *path, struct user_program **ret_program, struct fathom_err *err);
void user_program_free(struct user_program *program);
DEFINE_CLEANUP(struct user_program, user_program_free);

/*
 * The functions that are called @name, or whose names fit the glob @name; several may be of one
 * name. In the order of the file, one for each place; a glob gives no pieces. Their array is in
 * @arena. A name or glob with "::" is that of the source of C++ or Rust, with or without parameters. 0
 * also when there are none, -EINVAL for a wrong glob, -ENOMEM.
 */
int user_program_find(const struct user_program *program, const char *name, struct arena *arena,
		      struct user_function **ret_functions, size_t *ret_n, struct fathom_err *err);
/* The name of a function that may be meant by @name, or NULL. */
const char *user_program_nearest(const struct user_program *program, const char *name);
/* The address, in the file's own terms, of the symbol @name; false: there is none, or there are several. */
bool user_program_symbol(const struct user_program *program, const char *name,
			 uint64_t *ret_address);
/* The function that the code at @address is in, and where it begins; NULL: none is known. */
const char *user_program_function_at(const struct user_program *program, uint64_t address,
				     uint64_t *ret_start);
/* Is there code at this byte of the file? */
bool user_program_has_code(const struct user_program *program, uint64_t offset);
/*
 * Was it made by the Go compiler? Its stacks move, with the return addresses that a probe of a return
 * has changed, and the program crashes.
 */
bool user_program_is_go(const struct user_program *program);
/* Does an optimised probe fit on the instruction at @offset: a "nop" of five bytes? */
bool user_program_has_nop5(const struct user_program *program, uint64_t offset);

/*
 * Adds "p:GROUP/EVENT PATH:0xOFFSET", or "r:..." for the return, to which values can be added;
 * @counter is where in the file the counter of users of a marker is, 0: there is none.
 */
void user_probe_line(struct strbuf *line, bool is_return, const char *group, const char *event,
		     const char *path, uint64_t offset, uint64_t counter);
/* Can the kernel take this path in such a line? It takes no white space. */
bool user_probe_path_is_possible(const char *path);

#endif
