/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shows where in a text that a user wrote an error is. */
#ifndef FATHOM_BASE_ERR_INPUT_H
#define FATHOM_BASE_ERR_INPUT_H

#include <fathom/err.h>

/*
 * Appends two lines to the message: @text, and a caret below the byte at which the error is. Does
 * nothing if the error has no offset. Of a long text, the part around the error is shown.
 */
void err_show_input(struct fathom_err *err, const char *text);

#endif
