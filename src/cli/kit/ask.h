/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Yes-or-no questions on the terminal. */
#ifndef FATHOM_CLI_KIT_ASK_H
#define FATHOM_CLI_KIT_ASK_H

#include <stdbool.h>

/* For ask() of struct action. Returns false unless standard input and standard error are terminals. */
bool ask_is_possible(void);
/* For @is_attended of struct action. Returns true if standard input or standard error is a terminal. */
bool ask_is_attended(void);
/*
 * For ask() of struct action: reads the answer from standard input. Only a line that starts with y
 * means yes; the end of the input, or a signal other than SIGCHLD in the signalfd @signals (-1:
 * none), means no.
 */
bool ask_answer(int signals);

#endif
