/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Explains refusals by kernel functions, from rules in plain text; see fathom-meanings(5) and
 * data/meanings. The rules also define which functions are checks, which refuse with a result other
 * than an errno, and which errors are replaced by others as they propagate.
 *
 * Immutable after meanings_parse(). Texts are valid until meanings_free(), which accepts NULL.
 * Errors are positive numbers.
 */
#ifndef FATHOM_ANALYZE_WHY_MEANINGS_H
#define FATHOM_ANALYZE_WHY_MEANINGS_H

#include <stdbool.h>
#include <stddef.h>

#include <fathom/err.h>

struct meanings;

/* The built-in rules. */
extern const char meanings_default[];
extern const size_t meanings_default_len;

/* Parses rules, which are copied. Returns 0 or a negative errno; the message names the line. */
int meanings_parse(const char *text, size_t len, struct meanings **ret_meanings,
		   struct fathom_err *err);
void meanings_free(struct meanings *meanings);

#define MEANINGS_PLACE_MAX 4224 /* bytes, with the NUL */

/*
 * Joins @a, @b and @c to a place such as "openat:/dev/kvm"; @b and @c may be "". Returns false if
 * it is too long.
 */
bool meanings_place(char place[static MEANINGS_PLACE_MAX], const char *a, const char *b,
		    const char *c);
/* Returns a sentence for the user about the error of @function, or NULL. */
const char *meanings_text(const struct meanings *meanings, const char *function, int error);
/* Returns whether the function is a check, so that it is worth reporting if it passed. */
bool meanings_is_check(const struct meanings *meanings, const char *function);
/* Returns whether neither the function nor its callees ever decide anything. */
bool meanings_is_ignored(const struct meanings *meanings, const char *function);
/* Returns whether the function itself never decides anything. */
bool meanings_is_skipped(const struct meanings *meanings, const char *function);
/* Returns whether to trace the function before anything is known about the command. */
bool meanings_is_watched(const struct meanings *meanings, const char *function);
/* The same if the kernel can trace many functions at once. */
bool meanings_is_armed(const struct meanings *meanings, const char *function);
/*
 * Returns whether calls of the function are never needed: it decides nothing, and neither do its
 * callees.
 */
bool meanings_is_silent(const struct meanings *meanings, const char *function);
/* Returns whether the function passes its error out through a pointer, invisible in its result. */
bool meanings_is_through(const struct meanings *meanings, const char *function);
/* Returns whether the program gets another error than the one the function returns. */
bool meanings_is_swapping(const struct meanings *meanings, const char *function);
/*
 * Returns whether the function is a query, whose answer is an error only if the caller makes it
 * one.
 */
bool meanings_is_question(const struct meanings *meanings, const char *function);
/* Returns whether the function, if it calls nothing, returns the error it was called with. */
bool meanings_is_passing(const struct meanings *meanings, const char *function);
/* Returns the error into which callers turn the result 0 or NULL; 0: it is not a refusal. */
int meanings_error_of_zero(const struct meanings *meanings, const char *function);
/* The same for the result 1 or true. */
int meanings_error_of_one(const struct meanings *meanings, const char *function);
/* Returns whether each result of the function has a meaning, error or not. */
bool meanings_is_answer(const struct meanings *meanings, const char *function);
/*
 * Returns whether programs commonly make this call as a probe that may fail with @error. @object is
 * a path or a request, or NULL.
 */
bool meanings_is_expected(const struct meanings *meanings, const char *call, const char *object,
			  int error);
/*
 * Returns a sentence that explains when the system call returns the error @inner as @outer, "" if
 * they are equal, or NULL if it never does.
 */
const char *meanings_becomes(const struct meanings *meanings, int inner, int outer);

#endif
