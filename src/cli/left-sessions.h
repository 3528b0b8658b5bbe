/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The word to the user when an earlier session has left its settings in the kernel. */
#ifndef FATHOM_CLI_LEFT_SESSIONS_H
#define FATHOM_CLI_LEFT_SESSIONS_H

/* Looks, and says on stderr what it finds; nothing when there is nothing, or we may not look. */
void left_sessions_warn(void);

#endif
