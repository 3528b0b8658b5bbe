/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions that fill in a struct fathom_err. They allocate nothing, accept a NULL @err, and return
 * the code that they were given, so that a failure is one statement:
 *
 *	return err_set(err, -EINVAL, "bad magic in '%s'", path);
 */
#ifndef FATHOM_BASE_ERR_H
#define FATHOM_BASE_ERR_H

#include <errno.h>
#include <stdint.h>

#include <fathom/err.h>

/* Sets the message and the code, a negative errno. */
int err_set(struct fathom_err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same, with the offset in the input at which the error is. */
int err_set_at(struct fathom_err *err, int code, uint64_t offset, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* The same, with ": " and the text of strerror(3) for @code appended. */
int err_set_errno(struct fathom_err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Prepends context to the message: "CONTEXT: MESSAGE". Returns the code of @err; 0 if that is NULL.
 */
int err_prefix(struct fathom_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Sets -ENOMEM. No memory is needed for that. */
int err_nomem(struct fathom_err *err);

/*
 * These make the result visible to compilers and static analyzers, which see one source at a time
 * and would otherwise follow paths on which a failed call looks successful.
 */
#define err_set(err, code, ...)                            \
	({                                                 \
		const int err_code = (code);               \
		(void)err_set(err, err_code, __VA_ARGS__); \
		err_code;                                  \
	})
#define err_set_at(err, code, ...)                            \
	({                                                    \
		const int err_code = (code);                  \
		(void)err_set_at(err, err_code, __VA_ARGS__); \
		err_code;                                     \
	})
#define err_set_errno(err, code, ...)                            \
	({                                                       \
		const int err_code = (code);                     \
		(void)err_set_errno(err, err_code, __VA_ARGS__); \
		err_code;                                        \
	})
#define err_nomem(err)                \
	({                            \
		(void)err_nomem(err); \
		-ENOMEM;              \
	})

#endif
