/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Errors: every call that can fail returns 0 or a positive number when it went
 * well and a negative errno when it did not. Beside that the caller may pass a
 * struct fathom_err, which it owns, to learn what went wrong in words.
 * Nothing is allocated to report an error.
 */
#ifndef FATHOM_ERR_H
#define FATHOM_ERR_H

#include <stdint.h>

#include <fathom/export.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FATHOM_ERR_MESSAGE_SIZE 512

/** What went wrong. Zero-initialize it, or call fathom_err_reset(). */
struct fathom_err {
	int code; /**< negative errno; 0 while there is no error */
	uint64_t offset; /**< byte offset in the input; only valid when at_offset is set */
	unsigned char at_offset; /**< 1: offset says where in the input the error is */
	char message[FATHOM_ERR_MESSAGE_SIZE]; /**< one line, no full stop; may be empty */
};

/** Forgets the error, so that @err can be used for another call. */
FATHOM_API void fathom_err_reset(struct fathom_err *err);

/**
 * The message of @err, or the text of its errno when there is no message.
 * The string belongs to @err and lives as long as it does.
 */
FATHOM_API const char *fathom_err_text(const struct fathom_err *err);

#ifdef __cplusplus
}
#endif

#endif
