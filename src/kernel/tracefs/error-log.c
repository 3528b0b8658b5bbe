/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * error_log has the last eight entries, oldest first, of three lines each:
 *	[   13.787233] event filter parse error: error: Field not found
 *	  Command: nosuch == 1
 *	                  ^
 */
#include "kernel/tracefs/error-log.h"

#include <stdio.h>
#include <string.h>

#include "base/files/file.h"
#include "base/str.h"

#define COMMAND "  Command: "

/* Returns the message of a first line, or NULL. */
static const char *error_log_message_of(const char *line)
{
	static const char mark[] = ": error: ";
	const char *at = *line == '[' ? strstr(line, mark) : NULL;

	return at ? at + strlen(mark) : NULL;
}

/* The kernel strips white space from the end of what was written. */
static void trim(char *text)
{
	size_t len = strlen(text);

	while (len && (text[len - 1] == ' ' || text[len - 1] == '\n'))
		text[--len] = '\0';
}

static void error_log_fill(struct error_log_entry *entry, const char *message, const char *command,
			   const char *caret)
{
	size_t column = strspn(caret, " "), len = strlen(command);

	*entry = (struct error_log_entry){ 0 };
	snprintf(entry->message, sizeof(entry->message), "%s", message);
	if (len >= sizeof(entry->command) || caret[column] != '^' || column < strlen(COMMAND))
		return;
	snprintf(entry->command, sizeof(entry->command), "%s", command);
	entry->caret = column - strlen(COMMAND);
	if (entry->caret > len)
		entry->caret = len;
}

bool error_log_parse(char *text, const char *written, struct error_log_entry *ret_entry)
{
	const char *message = NULL;
	bool found = false;

	for (char *line; (line = str_next_line(&text));) {
		const char *command = str_after(line, COMMAND);

		if (!command) {
			message = error_log_message_of(line);
			continue;
		}
		trim(line);
		/* For a trigger, the kernel may quote the condition only. */
		if (message && *command && strstr(written, command)) {
			char *caret = str_next_line(&text);

			error_log_fill(ret_entry, message, command, caret ? caret : "");
			found = true;
		}
		message = NULL;
	}
	return found;
}

bool error_log_find(int dir, const char *written, struct error_log_entry *ret_entry)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	return file_read(dir, "error_log", &text) == 0 && text.s &&
	       error_log_parse(text.s, written, ret_entry);
}
