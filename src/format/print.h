/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints events as the kernel that recorded them would. event_print_compile() compiles the print
 * expression of a format once; event_print() runs the resulting program for each record.
 *
 * A program lives in the arena that it was compiled into, and refers to its format, which must live
 * as long. Running it allocates nothing and changes nothing but the text, so threads can share a
 * program if the functions of their print_env allow it. Records are untrusted: nothing outside them
 * is read.
 *
 * A value that cannot be determined (data that is not in the record, a kernel variable or enum, an
 * unsupported function) is printed as "?"; nothing is guessed.
 */
#ifndef FATHOM_FORMAT_PRINT_H
#define FATHOM_FORMAT_PRINT_H

#include "base/text.h"
#include "format/event/event-format.h"

/* Printed in place of an unknown value. */
#define PRINT_UNKNOWN "?"

struct print_program;

/* Values of names that formats use without defining them, for example from BTF. */
struct print_names {
	/* Looks up an enum constant or macro. Returns false if it is unknown. */
	bool (*constant)(const void *data, const char *name, size_t len, int64_t *ret_value);
	const void *data;
};

/* Properties of the machine and of the recording. Each function may be NULL. */
struct print_env {
	/* Returns the symbol that contains @addr, and where it starts, or NULL. */
	const char *(*symbol)(const void *data, uint64_t addr, uint64_t *ret_start);
	/* Appends the symbol itself, in another form. Returns false if there is none. */
	bool (*put_symbol)(const void *data, uint64_t addr, bool with_offset, struct text *text);
	/*
	 * Returns the format string (printk_formats, or a tracepoint string) at @addr, or NULL. As
	 * in that file, without the quotes and with escapes unresolved.
	 */
	const char *(*printk)(const void *data, uint64_t addr);
	const void *data; /* passed to all functions */
	unsigned hz; /* jiffies per second; 0: unknown */
};

/*
 * Compiles the print expression of @format into @arena. @names may be NULL. Returns 0 or a negative
 * errno: -ENOENT if the format has no print expression, -EINVAL if it is not understood.
 */
int event_print_compile(const struct event_format *format, const struct print_names *names,
			struct arena *arena, const struct print_program **ret_program,
			struct fathom_err *err);

/*
 * The same for " name=value ..." of all fields except the common ones. A number that is an argument
 * of the print expression is formatted as it would be there; a symbol gets its address appended if
 * @with_addresses. A format without a print expression is accepted.
 */
int event_print_compile_fields(const struct event_format *format, bool with_addresses,
			       struct arena *arena, const struct print_program **ret_program,
			       struct fathom_err *err);

/* Appends the text of the event to @text. */
void event_print(const struct print_program *program, const struct print_env *env,
		 const void *record, size_t len, struct text *text);

/*
 * Calls @take for each field whose number the print expression turns into names: those of its flags,
 * or its name in a list. @text has @len bytes and no zero byte. Fields without a name are omitted.
 */
typedef void event_print_taker(void *data, const char *field, const char *text, size_t len);
void event_print_names(const struct print_program *program, const struct print_env *env,
		       const void *record, size_t len, event_print_taker *take, void *data);

/* Appends " name=value" for each field except the common ones, formatted by its type alone. */
void event_print_fields(const struct event_format *format, const struct print_env *env,
			const void *record, size_t len, struct text *text);

#endif
