/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Switches to the user who ran fathom through sudo; see base/files/caller.h. */
#ifndef FATHOM_PROCESS_CALLER_ENTER_H
#define FATHOM_PROCESS_CALLER_ENTER_H

/*
 * Prepares the process to execute a program of the user's choice: switches to that user, resets
 * signals, and closes all descriptors but 0, 1 and 2. If we are root, less(1) is kept from starting
 * programs and opening files. Returns 0 or a negative errno; then the process must exit.
 */
int caller_enter(void);
/*
 * For a process that stays root to start such programs later and parses nothing: drops all
 * capabilities but those that caller_enter() needs. Returns 0 or a negative errno.
 */
int caller_drop_capabilities(void);

#endif
