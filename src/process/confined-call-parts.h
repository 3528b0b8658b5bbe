/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parts of a confined call that tests and the fuzzer use without a process. */
#ifndef FATHOM_PROCESS_CONFINED_CALL_PARTS_H
#define FATHOM_PROCESS_CONFINED_CALL_PARTS_H

#include <stddef.h>

#include <fathom/err.h>

/*
 * Decodes the result of a call from its last message, which is untrusted. Returns 0 or a negative
 * errno. The text of the message, if any, is quoted and stored in @err.
 */
int confined_end_take(const char *bytes, size_t len, struct fathom_err *err);

#endif
