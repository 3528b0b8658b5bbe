/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source locations as sent by the confined process. */
#ifndef FATHOM_ACTIONS_MACHINE_EXPLAIN_LINES_PARTS_H
#define FATHOM_ACTIONS_MACHINE_EXPLAIN_LINES_PARTS_H

#include "actions/machine/explain-find.h"

/* Maximum number of locations of one function; more are dropped. */
#define EXPLAIN_PLACES_MAX 16

/* First byte of a message. */
enum explain_letter {
	EXPLAIN_PLACE = 'p', /* line, file with its NUL, and the file that it was read from */
	EXPLAIN_NOTES = 'n', /* text */
};

struct explain_message {
	enum explain_letter letter;
	uint32_t line;
	const char *text; /* the file, or the notes */
	const char *by;
};

/* Receiver of messages. */
struct explain_search {
	const struct explain_query *query;
	struct explanation *e;
	size_t n; /* messages received */
	bool has_notes;
};

/*
 * Parses a message, which is untrusted. The strings are in @arena. Returns 0, -EPROTO or -ENOMEM.
 */
int explain_message_parse(const char *bytes, size_t len, struct arena *arena,
			  struct explain_message *ret_message);
/*
 * Handles a message for the struct explain_search @data. Limits the number of notes and locations
 * to what a correct process sends, because each one costs memory and is compared with all previous
 * ones. Returns 0, -EPROTO or -ENOMEM.
 */
int explain_search_take(void *data, const char *bytes, size_t len, struct fathom_err *err);

#endif
