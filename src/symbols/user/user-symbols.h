/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names for addresses in programs: which file, out of the maps of the process, and which function, out
 * of the file. A file is read when the first address in it is asked for, and not before. Code
 * that was made at run time has its names in /tmp/perf-PID.map or /tmp/jit-PID.dump, if its maker writes one. What has no name says why.
 */
#ifndef FATHOM_SYMBOLS_USER_USER_SYMBOLS_H
#define FATHOM_SYMBOLS_USER_USER_SYMBOLS_H

#include "symbols/user/demangle.h"
#include "symbols/elf/elf-symbols.h"
#include "symbols/dwarf/source-lines.h"
#include "symbols/user/symbol-cache.h"
#include "symbols/user/user-maps.h"

/* Why an address has no name. */
enum user_unresolved {
	USER_RESOLVED,
	USER_NO_MAPS, /* nothing is known of the memory of this process */
	USER_NOT_MAPPED, /* nothing was there */
	USER_JIT, /* code made at run time, without names */
	USER_VDSO, /* a piece of the kernel that recorded */
	USER_NO_CODE, /* the heap, the stack, or another part that is no file */
	USER_DELETED, /* the file had been deleted */
	USER_CHANGED, /* another file has its name now */
	USER_NOT_HERE, /* no such file: deleted later, other mount namespace, or other machine */
	USER_UNREADABLE, /* the file may not be read, or is none that we can read */
	USER_NO_SYMBOLS, /* the file is stripped */
	USER_NO_FUNCTION, /* the file has symbols, but none here */
	USER_REASONS
};

struct user_symbol {
	const char *name; /* readable; NULL: none, see why */
	uint64_t offset; /* in the function; without a name, in the file, if there is one */
	const char *path; /* of the file; NULL: none */
	enum user_unresolved why;
	uint32_t file; /* for user_symbols_lines(): 0: none; else which */
	uint64_t address; /* in the file's own terms */
};

struct user_line_question {
	uint64_t address; /* in the file's own terms */
	const struct elf_source
		*source; /* an open file, for the first question about it; else NULL */
	const char *path; /* of the program, for messages */
};

/* Who reads debug info. */
struct user_line_asker {
	/*
	 * The answer to @question: a byte with the number of functions, from the innermost, and for each its
	 * name and the name of the source file, which end with NUL, and the line as 32 bits. With a source, *@file becomes
	 * the number of the file for the next question. 0 or a negative errno; -ESTALE: the file has to be opened again
	 * and come with the question.
	 */
	int (*ask)(void *data, uint32_t *file, const struct user_line_question *question,
		   char *answer, size_t size, size_t *ret_len);
	void *data;
};

struct user_file;
struct user_jit;
struct user_line_entry;

/* A file that is kept in the trace. */
struct user_copy {
	uint32_t number;
	struct elf_source source;
};

/* Zero-initialised is empty. Who fills the maps does it before the first question. */
struct user_symbols {
	struct user_maps maps;
	struct elf_opener opener; /* of programs and debug files */
	struct elf_opener jit_opener; /* of /tmp/perf-PID.map and /tmp/jit-PID.dump */
	struct symbol_cache cache; /* of tables; may be empty */
	struct demangler demangler;
	struct user_copy *copies; /* by their numbers */
	size_t n_copies, cap_copies;
	struct u64_map paths; /* by a hash of the path and of what tells it from others of its name */
	struct user_file *files;
	size_t n_files, cap_files;
	struct u64_map jit_pids;
	struct user_jit *jits;
	size_t n_jits, cap_jits;
	struct u64_map shown; /* names that were made readable, by where they lie */
	const char **readable;
	size_t n_readable, cap_readable;
	struct user_line_asker line_asker; /* empty: there are no lines */
	struct u64_map line_keys; /* of addresses that were asked about */
	struct user_line_entry *lines;
	size_t n_lines, cap_lines;
	uint64_t with_line, without_line; /* questions for lines */
	uint64_t unread_line; /* of those without: their debug info could not be read */
	struct arena arena;
	uint64_t answers[USER_REASONS]; /* that were given, by reason */
	uint64_t stacks, short_stacks; /* that were shown, those of one address only */
	bool nomem; /* memory was short: an answer is not what it should be */
};

void user_symbols_done(struct user_symbols *symbols);
/* Numbers must rise. What @source has must live as long as @symbols. 0 or -ENOMEM. */
int user_symbols_add_copy(struct user_symbols *symbols, uint32_t number,
			  const struct elf_source *source);

/* The function of @address in the process @pid at @time. What is handed out lives as long as @symbols. */
void user_symbols_find(struct user_symbols *symbols, int32_t pid, uint64_t time, uint64_t address,
		       struct user_symbol *ret_symbol);
/*
 * The source of what user_symbols_find() found, and the functions inlined there, from the innermost; the last is the
 * function itself. How many; 0: there is no debug info. Lives as long as @symbols.
 */
size_t user_symbols_lines(struct user_symbols *symbols, const struct user_symbol *symbol,
			  const struct source_frame **ret_frames);
/*
 * The function called @name in the file @path, which must live as long as @symbols, for user_symbols_lines(). False: the
 * file cannot be read, or has none of that name, or several.
 */
bool user_symbols_function(struct user_symbols *symbols, const char *path, const char *name,
			   struct user_symbol *ret_symbol);
/* The reason in a few words, without the name of the file. */
const char *user_unresolved_text(enum user_unresolved why);

/*
 * Adds the names of a "/tmp/perf-PID.map", or of a jitdump, "/tmp/jit-PID.dump": the code in it is passed
 * over. 0, or a negative errno when there is no memory or it is not one.
 */
int user_jit_add_text(struct symbol_builder *builder, const char *text, size_t len);
int user_jit_add_dump(struct symbol_builder *builder, const struct elf_source *source);
/* For names of a "/tmp/perf-PID.map": "START SIZE NAME" in each line. 0 or -ENOMEM. */
int user_jit_parse(const char *text, size_t len, struct symbol_table *ret_table);

#endif
