/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions that the running kernel can trace, sorted by name and, for equal names, in the
 * kernel's order, that is, by address. Names and modules point into the list's text and are valid
 * until functions_done(). Several functions can have the same name; functions_locate() resolves
 * their addresses.
 */
#ifndef FATHOM_KERNEL_EVENTS_FUNCTIONS_H
#define FATHOM_KERNEL_EVENTS_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

struct function {
	const char *name;
	const char *module; /* NULL: not in a module */
	uint64_t addr; /* of the traced instruction, see functions_locate(); 0: unknown */
	uint32_t same; /* number of functions with this name, usually 1 */
	uint32_t nth; /* index among them, from 1, in the kernel's order */
	uint32_t order; /* index in the kernel's list, without hidden entries */
	uint32_t line; /* line in the kernel's list, from 1, for set_ftrace_filter */
	bool dropped; /* set by functions_locate(): not a function */
};

struct functions {
	struct function *list;
	size_t n;
	size_t hidden; /* entries left out because their functions are gone */
	bool has_addrs; /* the kernel's list includes addresses */
	char *text; /* contents of the kernel's list */
};

/* Results of functions_locate(), unless it fails. */
enum functions_located {
	FUNCTIONS_LOCATED, /* all functions with ambiguous names have addresses */
	FUNCTIONS_LOCATED_PARTLY, /* some remain ambiguous */
	FUNCTIONS_ADDRS_HIDDEN, /* the kernel hides addresses from this user */
};

/*
 * Reads the list of functions below the descriptor @tracefs, with addresses if @want_addrs and if
 * the kernel offers them, which takes the kernel longer. Returns 0 or a negative errno.
 */
int functions_read(int tracefs, bool want_addrs, struct functions *ret_functions,
		   struct fathom_err *err);
/* The same from @text, which is consumed even on failure. @with_addrs: its lines have addresses. */
int functions_parse(char *text, bool with_addrs, struct functions *ret_functions,
		    struct fathom_err *err);
void functions_done(struct functions *functions);
/* Sorts a list by @name and @order, and sets @same and @nth. */
void functions_sort(struct functions *functions);

/*
 * Finds the start addresses of functions whose names are ambiguous, in the text of /proc/kallsyms,
 * which is modified but not kept. Addresses of other functions are not changed. Returns an enum
 * functions_located or -ENOMEM.
 *
 * Old kernels also list code of weak functions that were overridden, under the name of the
 * preceding function. Such entries are marked @dropped and do not count in @same and @nth.
 */
int functions_locate(struct functions *functions, char *kallsyms);

/* Returns the index of the first function whose name is not less than @name, or @n. */
size_t functions_place(const struct functions *functions, const char *name);
/* Returns the first of the *@ret_n functions called @name, which are consecutive, or NULL. */
struct function *functions_find(const struct functions *functions, const char *name, size_t *ret_n);

#endif
