/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places in the source as the process without rights sends them. */
#ifndef FATHOM_ACTIONS_MACHINE_EXPLAIN_LINES_PARTS_H
#define FATHOM_ACTIONS_MACHINE_EXPLAIN_LINES_PARTS_H

#include "actions/machine/explain-find.h"

/* A function of so many places: the others are as good. */
#define EXPLAIN_PLACES_MAX 16

/* The first byte of a message. */
enum explain_letter {
	EXPLAIN_PLACE = 'p', /* line, file with its NUL, and by which file that is known */
	EXPLAIN_NOTES = 'n', /* text */
};

struct explain_message {
	enum explain_letter letter;
	uint32_t line;
	const char *text; /* the file, or the notes */
	const char *by;
};

/* Who gets the messages. */
struct explain_search {
	const struct explain_query *query;
	struct explanation *e;
	size_t n; /* messages that have come */
	bool has_notes;
};

/* A message, whose bytes may be anything. The strings are in @arena. 0, -EPROTO or -ENOMEM. */
int explain_message_parse(const char *bytes, size_t len, struct arena *arena,
			  struct explain_message *ret_message);
/*
 * Takes a message for the struct explain_search @data: no more notes and places than a process sends that works as it
 * should, as each costs memory and is compared with all before it. 0, -EPROTO or -ENOMEM.
 */
int explain_search_take(void *data, const char *bytes, size_t len, struct fathom_err *err);

#endif
