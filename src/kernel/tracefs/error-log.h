/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Error messages of the kernel about rejected writes: the file error_log of tracefs. */
#ifndef FATHOM_KERNEL_TRACEFS_ERROR_LOG_H
#define FATHOM_KERNEL_TRACEFS_ERROR_LOG_H

#include <stdbool.h>
#include <stddef.h>

#define ERROR_LOG_TEXT_SIZE 200

struct error_log_entry {
	char message[ERROR_LOG_TEXT_SIZE]; /* "Field not found" */
	char command[ERROR_LOG_TEXT_SIZE]; /* what was rejected; "" if it is too long */
	size_t caret; /* offset of the error in @command */
};

/*
 * Finds the newest entry of the tracefs or instance directory @dir that concerns @written or a part
 * of it. Returns false if there is none; many errors are not logged.
 */
bool error_log_find(int dir, const char *written, struct error_log_entry *ret_entry);
/* The same for the contents of the file, which are modified. */
bool error_log_parse(char *text, const char *written, struct error_log_entry *ret_entry);

#endif
