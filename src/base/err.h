/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Filling a struct fathom_err. All of these accept a NULL @err and return the
 * code they were given, so that a failure is one statement:
 *
 *	return err_set(err, -EINVAL, "bad magic in '%s'", path);
 */
#ifndef FATHOM_BASE_ERR_H
#define FATHOM_BASE_ERR_H

#include <errno.h>
#include <stdint.h>

#include <fathom/err.h>

/* Sets message and code. */
int err_set(struct fathom_err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same, and says at which byte of the input. */
int err_set_at(struct fathom_err *err, int code, uint64_t offset, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* The message is followed by ": " and the system's text for @code. */
int err_set_errno(struct fathom_err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts context in front of the message that is there: "CONTEXT: MESSAGE". */
int err_prefix(struct fathom_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The usual end of a failed allocation. */
int err_nomem(struct fathom_err *err);

/*
 * Each of them is its code also to those who look at one file only: compilers and static
 * analysis then know that a failed call does not look like one that went well.
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
#define err_nomem(err)                \
	({                            \
		(void)err_nomem(err); \
		-ENOMEM;              \
	})

#endif
