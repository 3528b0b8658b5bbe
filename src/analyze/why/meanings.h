/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What it means when a function of the kernel refuses something, by rules in plain text; see
 * fathom-meanings(5) and data/meanings. They also say which functions are checks, which
 * refuse by a result that is no errno, and which errors become others on the way up.
 */
#ifndef FATHOM_ANALYZE_WHY_MEANINGS_H
#define FATHOM_ANALYZE_WHY_MEANINGS_H

#include <stdbool.h>
#include <stddef.h>

#include <fathom/err.h>

struct meanings;

/* The rules that come with the program. */
extern const char meanings_default[];
extern const size_t meanings_default_len;

/* Reads rules, which are copied. 0 or a negative errno; @err says in which line. */
int meanings_parse(const char *text, size_t len, struct meanings **ret_meanings,
		   struct fathom_err *err);
void meanings_free(struct meanings *meanings);

#define MEANINGS_PLACE_MAX 4224 /* bytes; no rule is about longer ones */

/* "@a@b@c", as "openat:/dev/kvm" is one; @b and @c may be "". False: it is too long. */
bool meanings_place(char place[static MEANINGS_PLACE_MAX], const char *a, const char *b,
		    const char *c);
/* A sentence for the one that asked, about the error (a positive number) of @function; or NULL. */
const char *meanings_text(const struct meanings *meanings, const char *function, int error);
/* Does it check something, so that it is worth telling that it had nothing against it? */
bool meanings_is_check(const struct meanings *meanings, const char *function);
/* Does it never decide anything, nor anything that it calls? */
bool meanings_is_ignored(const struct meanings *meanings, const char *function);
/* Does it never decide anything itself? */
bool meanings_is_skipped(const struct meanings *meanings, const char *function);
/* Is it worth watching before anything is known of the command? */
bool meanings_is_watched(const struct meanings *meanings, const char *function);
/* The same, where the kernel can watch many functions at once. */
bool meanings_is_armed(const struct meanings *meanings, const char *function);
/* Has nobody ever to know that it was called, as it decides nothing and calls nobody that does? */
bool meanings_is_silent(const struct meanings *meanings, const char *function);
/* Does it hand its error out through a pointer, so that its result does not show it? */
bool meanings_is_through(const struct meanings *meanings, const char *function);
/* Is the program given another error than the one that it returns? */
bool meanings_is_swapping(const struct meanings *meanings, const char *function);
/* Is it a question, whose answer is no error until the caller makes one of it? */
bool meanings_is_question(const struct meanings *meanings, const char *function);
/* Does it return the error that it was called with, if it calls nothing? */
bool meanings_is_passing(const struct meanings *meanings, const char *function);
/* The error that the caller makes of its result 0 or NULL; 0: that is no refusal. */
int meanings_error_of_zero(const struct meanings *meanings, const char *function);
/* The same of its result true, or 1. */
int meanings_error_of_one(const struct meanings *meanings, const char *function);
/* Does each of its results mean something, whether it is an error or not? */
bool meanings_is_answer(const struct meanings *meanings, const char *function);
/* Do programs make this system call just to see whether it fails with @error? @object: a path or a request, or NULL. */
bool meanings_is_expected(const struct meanings *meanings, const char *call, const char *object,
			  int error);
/*
 * Can the error @inner come out of the system call as @outer? A sentence that says when, "" for
 * equal ones, or NULL when not.
 */
const char *meanings_becomes(const struct meanings *meanings, int inner, int outer);

#endif
