/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Errors. Functions that can fail return 0 or a positive number on success and a negative errno on
 * failure. In addition, many take a struct fathom_err, owned by the caller, for a message; it may
 * be NULL. Reporting an error never allocates memory.
 */
#ifndef FATHOM_ERR_H
#define FATHOM_ERR_H

#include <stdint.h>

#include <fathom/export.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FATHOM_ERR_MESSAGE_SIZE 512

/** An error. Initialize to zero or with fathom_err_reset(). */
struct fathom_err {
	int code; /**< negative errno; 0: no error */
	uint64_t offset; /**< of the error in the input, in bytes; only valid if @at_offset is set */
	unsigned char at_offset; /**< 1: @offset is valid */
	char message[FATHOM_ERR_MESSAGE_SIZE]; /**< one line, no full stop; may be empty */
};

/** Clears the error, so that @err can be used for another call. */
FATHOM_API void fathom_err_reset(struct fathom_err *err);

/**
 * Returns the message of @err, or the text of its errno if there is none. The string belongs to
 * @err.
 */
FATHOM_API const char *fathom_err_text(const struct fathom_err *err);

#ifdef __cplusplus
}
#endif

#endif
