/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of a confined call that tests and the fuzzer reach without a process. */
#ifndef FATHOM_PROCESS_CONFINED_CALL_PARTS_H
#define FATHOM_PROCESS_CONFINED_CALL_PARTS_H

#include <stddef.h>

#include <fathom/err.h>

/*
 * The result of a call out of its last message, whose bytes may be anything: 0 or a negative errno. Its text, if it has
 * one, goes to @err, printable.
 */
int confined_end_take(const char *bytes, size_t len, struct fathom_err *err);

#endif
