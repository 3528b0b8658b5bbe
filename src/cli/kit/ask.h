/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Yes-or-no questions on the terminal. */
#ifndef FATHOM_CLI_KIT_ASK_H
#define FATHOM_CLI_KIT_ASK_H

#include <stdbool.h>

/* For ask() of struct action. Returns false unless standard input and standard error are terminals. */
bool ask_is_possible(void);
/*
 * For ask() of struct action: reads the answer from standard input. Only a line that starts with y is a yes; the end
 * of the input, or a signal other than SIGCHLD in the signalfd @signals (-1: none), is a no.
 */
bool ask_answer(int signals);

#endif
