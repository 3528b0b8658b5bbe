/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Symbolizes user addresses: the maps of the process determine the file, and its symbols the
 * function. A file is read when the first address in it is looked up. Names of JIT-compiled code
 * come from /tmp/perf-PID.map or /tmp/jit-PID.dump, if the compiler writes these. An address
 * without a name has a reason instead.
 *
 * Not thread-safe, because lookups read files. Returned strings are valid until
 * user_symbols_done(). Files are untrusted.
 */
#ifndef FATHOM_SYMBOLS_USER_USER_SYMBOLS_H
#define FATHOM_SYMBOLS_USER_USER_SYMBOLS_H

#include "symbols/user/demangle.h"
#include "symbols/elf/elf-symbols.h"
#include "symbols/dwarf/source-lines.h"
#include "symbols/user/symbol-cache.h"
#include "symbols/user/user-maps.h"

/* Reasons why an address has no name. */
enum user_unresolved {
	USER_RESOLVED,
	USER_NO_MAPS, /* nothing is known about the memory of this process */
	USER_NOT_MAPPED, /* nothing was mapped there */
	USER_JIT, /* JIT-compiled code without names */
	USER_VDSO, /* in the vDSO of the recorded kernel */
	USER_NO_CODE, /* the heap, the stack, or another mapping without a file */
	USER_DELETED, /* the file was deleted */
	USER_CHANGED, /* there is another file of that name */
	USER_NOT_HERE, /* no such file: deleted later, other mount namespace, or other machine */
	USER_UNREADABLE, /* the file cannot be opened or parsed */
	USER_NO_SYMBOLS, /* the file is stripped */
	USER_NO_FUNCTION, /* the file has symbols, but none for this address */
	USER_REASONS
};

struct user_symbol {
	const char *name; /* readable; NULL: none, see @why */
	uint64_t offset; /* in the function; without a name, in the file, if any */
	const char *path; /* of the file; NULL: none */
	enum user_unresolved why;
	uint32_t file; /* for user_symbols_lines(); 0: no file */
	uint64_t address; /* as in the file */
};

struct user_line_question {
	uint64_t address; /* as in the file */
	const struct elf_source
		*source; /* an open file, in the first question about it; NULL in later ones */
	const char *path; /* of the program, for messages */
};

/* A reader of debug information. */
struct user_line_asker {
	/*
	 * Answers @question with a byte with the number of functions, innermost first, and for each
	 * its name and that of the source file, both NUL-terminated, and the line as 32 bits. If
	 * there is a source, *@file is set to the number of the file for further questions. Returns
	 * 0 or a negative errno: -ESTALE if the file must be opened again and passed with the
	 * question.
	 */
	int (*ask)(void *data, uint32_t *file, const struct user_line_question *question,
		   char *answer, size_t size, size_t *ret_len);
	void *data;
};

struct user_file;
struct user_jit;
struct user_line_entry;

/* A copy of a file in the trace. */
struct user_copy {
	uint32_t number;
	struct elf_source source;
};

/* Zero-initialized: empty. The maps must be complete before the first lookup. */
struct user_symbols {
	struct user_maps maps;
	struct elf_opener opener; /* opens programs and debug files */
	struct elf_opener jit_opener; /* opens /tmp/perf-PID.map and /tmp/jit-PID.dump */
	struct symbol_cache cache; /* of symbol tables; optional */
	struct demangler demangler;
	struct user_copy *copies; /* sorted by number */
	size_t n_copies, cap_copies;
	struct u64_map paths; /* by a hash of path and origin */
	struct user_file *files;
	size_t n_files, cap_files;
	struct u64_map jit_pids;
	struct user_jit *jits;
	size_t n_jits, cap_jits;
	struct u64_map shown; /* demangled names by address of the original */
	const char **readable;
	size_t n_readable, cap_readable;
	struct user_line_asker line_asker; /* optional: without it, there are no lines */
	struct u64_map line_keys; /* of addresses already looked up */
	struct user_line_entry *lines;
	size_t n_lines, cap_lines;
	uint64_t with_line, without_line; /* numbers of lookups of lines */
	uint64_t unread_line; /* of these, lookups for which debug information could not be read */
	struct arena arena;
	uint64_t answers[USER_REASONS]; /* numbers of lookups, by reason */
	/* numbers of stacks shown, and of those with a single address */
	uint64_t stacks, short_stacks;
	bool nomem; /* memory was exhausted, so some result is incomplete */
};

void user_symbols_done(struct user_symbols *symbols);
/*
 * Adds a copy; numbers must be ascending. The file or memory of @source must outlive @symbols.
 * Returns 0 or -ENOMEM.
 */
int user_symbols_add_copy(struct user_symbols *symbols, uint32_t number,
			  const struct elf_source *source);

/* Finds the function of @address in the process @pid at @time. */
void user_symbols_find(struct user_symbols *symbols, int32_t pid, uint64_t time, uint64_t address,
		       struct user_symbol *ret_symbol);
/*
 * Returns the source lines of a result of user_symbols_find(), and the functions inlined there,
 * innermost first; the last is the function itself. Returns their number; 0: no debug information.
 * Valid until user_symbols_done().
 */
size_t user_symbols_lines(struct user_symbols *symbols, const struct user_symbol *symbol,
			  const struct source_frame **ret_frames);
/*
 * Finds the function @name in the file @path, which must outlive @symbols, for
 * user_symbols_lines(). Returns false if the file cannot be read, or has no function or several of
 * that name.
 */
bool user_symbols_function(struct user_symbols *symbols, const char *path, const char *name,
			   struct user_symbol *ret_symbol);
/* Returns the reason as a short static text, without the name of the file. */
const char *user_unresolved_text(enum user_unresolved why);

/*
 * Add the names in a "/tmp/perf-PID.map", or a jitdump, "/tmp/jit-PID.dump", of which the code is
 * skipped. Return 0, or a negative errno if memory is exhausted or it is not a valid file.
 */
int user_jit_add_text(struct symbol_builder *builder, const char *text, size_t len);
int user_jit_add_dump(struct symbol_builder *builder, const struct elf_source *source);
/* Parses a "/tmp/perf-PID.map", lines "START SIZE NAME", into a table. Returns 0 or -ENOMEM. */
int user_jit_parse(const char *text, size_t len, struct symbol_table *ret_table);

#endif
