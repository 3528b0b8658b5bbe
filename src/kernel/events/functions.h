/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions that this kernel can trace, sorted by name, with the module each one
 * is in. A name can exist several times; where the kernel lets us see addresses, each
 * of them gets its own.
 */
#ifndef FATHOM_KERNEL_EVENTS_FUNCTIONS_H
#define FATHOM_KERNEL_EVENTS_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct function {
	const char *name;
	const char *module; /* NULL: in the kernel itself */
	uint64_t addr; /* 0: not known */
	uint32_t same; /* how many functions have this name; 1 is the usual case */
	uint32_t nth; /* which one of them this is, from 1, in the kernel's own order */
	uint32_t order; /* place in the kernel's list without what is hidden */
	uint32_t line; /* place in that list as it is, from 1: set_ftrace_filter takes it as a name */
	bool dropped; /* known after functions_locate(): no function, see there */
};

struct functions {
	struct function *list;
	size_t n;
	size_t hidden; /* entries that are no functions any more and were left out */
	bool has_addrs; /* the kernel's list came with addresses */
	char *text; /* the kernel's list; names point into it */
};

/* How functions_locate() ended when it did not fail. */
enum functions_located {
	FUNCTIONS_LOCATED, /* all names that exist several times have their addresses */
	FUNCTIONS_LOCATED_PARTLY, /* some could not be told apart for certain */
	FUNCTIONS_ADDRS_HIDDEN, /* the kernel shows no addresses to this user */
};

/*
 * Reads the list below the tracefs directory @tracefs, from the file that has addresses
 * too if @want_addrs and the kernel has it (it takes the kernel longer). 0, or a negative errno with the
 * reason in @err; @ret_functions is untouched then.
 */
int functions_read(int tracefs, bool want_addrs, struct functions *ret_functions,
		   struct fathom_err *err);
/* The same from @text, which is taken over also on failure; @with_addrs: it has addresses. */
int functions_parse(char *text, bool with_addrs, struct functions *ret_functions,
		    struct fathom_err *err);
void functions_done(struct functions *functions);
/* Brings a list into its order, which is by @name and @order, and counts those of one name. */
void functions_sort(struct functions *functions);

/*
 * Finds the addresses of the functions whose name exists several times, in the text of
 * /proc/kallsyms, which is cut in place. An enum functions_located or -ENOMEM.
 *
 * Old kernels also list code that the linker dropped the name of (weak functions that
 * were replaced), under the name of the function before it. Such entries are marked as
 * @dropped, and no longer counted in @same and @nth.
 */
int functions_locate(struct functions *functions, char *kallsyms);

/* The place of the first function whose name is not less than @name; @n if there is none. */
size_t functions_place(const struct functions *functions, const char *name);
/* Where the functions called @name begin in the list; *@ret_n says how many there are. */
struct function *functions_find(const struct functions *functions, const char *name, size_t *ret_n);

#endif
