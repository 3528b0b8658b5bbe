/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Printing events as their kernel meant them: event_print_compile() turns the
 * print expression of a format into a program once, event_print() runs it per
 * record. Running allocates nothing and changes nothing, so threads may share a
 * program. A value that can't be known (data that is not in the record, a
 * variable or an enum of the kernel, a function that we don't have) is shown as
 * "?"; nothing is guessed.
 */
#ifndef FATHOM_FORMAT_PRINT_H
#define FATHOM_FORMAT_PRINT_H

#include "base/text.h"
#include "format/event/event-format.h"

/* What is printed where a value is not known. */
#define PRINT_UNKNOWN "?"

struct print_program;

/* Values of names that formats use without explaining them; from BTF, for instance. */
struct print_names {
	/* The value of an enum or constant. False: not known. */
	bool (*constant)(const void *data, const char *name, size_t len, int64_t *ret_value);
	const void *data;
};

/* What is known about the machine and the recording. Every function may be NULL. */
struct print_env {
	/* The symbol that @addr is in and where it starts, or NULL. */
	const char *(*symbol)(const void *data, uint64_t addr, uint64_t *ret_start);
	/* Writes the symbol itself, in another form. False: there is none. */
	bool (*put_symbol)(const void *data, uint64_t addr, bool with_offset, struct text *text);
	/*
	 * The text of printk_formats (or of a tracepoint string) at @addr, or NULL: as
	 * in that file, escapes still in, without the quotes.
	 */
	const char *(*printk)(const void *data, uint64_t addr);
	const void *data; /* handed to all */
	unsigned hz; /* jiffies per second; 0: not known */
};

/*
 * Compiles the print expression of @format into @arena. @names may be NULL. The
 * program refers to @format. 0 or a negative errno: -ENOENT when the format has
 * no print expression, -EINVAL when it is not understood.
 */
int event_print_compile(const struct event_format *format, const struct print_names *names,
			struct arena *arena, const struct print_program **ret_program,
			struct fathom_err *err);

/*
 * The same for " name=value ..." of all fields but the common ones. A number that is
 * an argument of the print expression is written as it would be there, a symbol with
 * its address if @with_addresses. Formats without a print expression are fine.
 */
int event_print_compile_fields(const struct event_format *format, bool with_addresses,
			       struct arena *arena, const struct print_program **ret_program,
			       struct fathom_err *err);

/* Appends the text of the event to @text. */
void event_print(const struct print_program *program, const struct print_env *env,
		 const void *record, size_t len, struct text *text);

/* Appends " name=value" for every field that is not a common one, by its type alone. */
void event_print_fields(const struct event_format *format, const struct print_env *env,
			const void *record, size_t len, struct text *text);

#endif
