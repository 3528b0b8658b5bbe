/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Task names during live tracing. A file contains all names when it is read; here, the kernel is
 * queried in each round that has events, at most ten times a second, because a process changes its
 * name when it executes a program.
 */
#ifndef FATHOM_ACTIONS_RECORD_STREAM_NAMES_H
#define FATHOM_ACTIONS_RECORD_STREAM_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "read/context/tasks.h"

struct stream_names {
	struct tasks *tasks; /* of the report */
	int tracefs; /* tracefs directory */
	uint64_t now, asked; /* number of this round, time of the last query in ns */
	bool fresh; /* queried in this round or shortly before it */
	struct strbuf text;
};

/* Starts a round. */
void stream_names_tick(struct stream_names *names, uint64_t now);
/* Call for each event of this task. */
void stream_names_see(struct stream_names *names, int32_t pid);
void stream_names_done(struct stream_names *names);

#endif
