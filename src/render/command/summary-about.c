/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the recorder's notes about the command and the kernel. */
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "read/context/notes.h"
#include "render/command/summary.h"

/*
 * Returns the value of the first note with this key, which extends to the end of the line, or NULL.
 */
static const char *find_note(const struct fathom_trace *trace, const char *key)
{
	struct note_place place = { 0 };
	struct note note;

	return notes_next_of(trace, &place, key, &note) ? note.value : NULL;
}

char *summary_find_command(const struct fathom_trace *trace)
{
	const char *value = find_note(trace, "command");

	return value ? mem_printf("%.*s", (int)strcspn(value, "\n"), value) : NULL;
}

/* Parses the integer after @word and advances @text. Returns -1 if there is none. */
static int32_t take_whole(const char **text, const char *word)
{
	double number;

	return note_take_number(text, word, INT32_MAX, &number) ? (int32_t)number : -1;
}

/* Parses "pid 17, exit code 0" or "pid 17, signal 11, core dumped". */
struct process_ending summary_find_ending(const struct fathom_trace *trace, int32_t *ret_pid)
{
	const char *value = find_note(trace, "status");
	int32_t pid = value ? take_whole(&value, "pid ") : -1, number;

	*ret_pid = 0;
	if (pid <= 0)
		return (struct process_ending){ 0 };
	number = take_whole(&value, ", exit code ");
	if (number >= 0) {
		*ret_pid = pid;
		return (struct process_ending){ .how = PROCESS_EXITED,
						.has_code = true,
						.code = number };
	}
	number = take_whole(&value, ", signal ");
	if (number <= 0)
		return (struct process_ending){ 0 };
	*ret_pid = pid;
	return (struct process_ending){
		.how = PROCESS_KILLED,
		.signal = number,
		.dump = str_after(value, ", core dumped") ? PROCESS_DUMPED : PROCESS_NOT_DUMPED,
	};
}

/* The release is the third word of uname. */
char *summary_find_kernel(const struct fathom_trace *trace)
{
	const char *p = fathom_trace_info(trace)->uname;

	for (int i = 0; i < 2 && p; i++) {
		p = strchr(p, ' ');
		p = p ? p + 1 : NULL;
	}
	return p ? mem_printf("%.*s", (int)strcspn(p, " "), p) : NULL;
}
