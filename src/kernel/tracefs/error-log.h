/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the kernel says about a write that it refused: tracefs' file error_log. */
#ifndef FATHOM_KERNEL_TRACEFS_ERROR_LOG_H
#define FATHOM_KERNEL_TRACEFS_ERROR_LOG_H

#include <stdbool.h>
#include <stddef.h>

#define ERROR_LOG_TEXT_SIZE 200

struct error_log_entry {
	char message[ERROR_LOG_TEXT_SIZE]; /* "Field not found" */
	char command[ERROR_LOG_TEXT_SIZE]; /* what was refused; "" when it does not fit here */
	size_t caret; /* where in @command the error is */
};

/*
 * The newest entry in the directory @dir that is about @written, or a part of it.
 * False when there is none, as the kernel has no words for many refusals.
 */
bool error_log_find(int dir, const char *written, struct error_log_entry *ret_entry);
/* The same in the text of the file. */
bool error_log_parse(char *text, const char *written, struct error_log_entry *ret_entry);

#endif
