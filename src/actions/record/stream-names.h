/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of tasks while they are traced. A file has the names of all its tasks when it is read;
 * here the kernel is asked for them in each round that has events, but not more than ten times a second,
 * since a process gets another name when it executes a program.
 */
#ifndef FATHOM_ACTIONS_RECORD_STREAM_NAMES_H
#define FATHOM_ACTIONS_RECORD_STREAM_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "read/context/tasks.h"

struct stream_names {
	struct tasks *tasks; /* the report's */
	int tracefs; /* the top directory */
	uint64_t now, asked; /* this round, and when the kernel was asked last, in nanoseconds */
	bool fresh; /* was asked in this round, or shortly before it */
	struct strbuf text;
};

/* A round begins. */
void stream_names_tick(struct stream_names *names, uint64_t now);
/* There is an event of this task. */
void stream_names_see(struct stream_names *names, int32_t pid);
void stream_names_done(struct stream_names *names);

#endif
