/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Becoming the caller of base/files/caller.h. */
#ifndef FATHOM_PROCESS_CALLER_ENTER_H
#define FATHOM_PROCESS_CALLER_ENTER_H

/*
 * For a process that is about to execute a program of the user's choice: it becomes the caller's, has
 * descriptors 0, 1 and 2 and ordinary signals, and, where we are root, a less(1) that starts no
 * programs and opens no files. 0 or a negative errno; it must end then.
 */
int caller_enter(void);
/*
 * For a process that keeps running as root, parses nothing and may have to start such a program: gives up
 * all capabilities but those that caller_enter() needs. 0 or a negative errno.
 */
int caller_drop_capabilities(void);

#endif
