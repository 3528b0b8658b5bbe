/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process of its own that reads debug info: large, complicated, and from anybody. It has no rights, as
 * the reader has none, is limited in memory and time, and when it ends by a fault of what it reads, the reader goes
 * on without lines.
 */
#ifndef FATHOM_CLI_LINE_HELPER_H
#define FATHOM_CLI_LINE_HELPER_H

#include "base/confined.h"
#include "symbols/user-symbols.h"

struct line_helper {
	struct confined process;
	uint32_t n_files; /* that it was given */
	bool failed; /* it ended, or took too long */
};

#define LINE_HELPER_NONE                 \
	{                                \
		.process = CONFINED_NONE \
	}

/* To be called before the sandbox is entered, with sandbox_enter_asking(). 0 or a negative errno. */
int line_helper_start(struct line_helper *helper, struct fathom_err *err);
/* Lets @symbols ask it. */
void line_helper_use(struct line_helper *helper, struct user_symbols *symbols);
void line_helper_done(struct line_helper *helper);

#endif
