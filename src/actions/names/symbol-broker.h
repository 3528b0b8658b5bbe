/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which files a reader in the sandbox gets when it names addresses of programs: ELF files, and the
 * maps of code made at run time that the user or root wrote; and tables that were kept, if the user has a
 * directory fathom/symbols for them where caches are. Nothing else, whatever the trace names.
 */
#ifndef FATHOM_ACTIONS_NAMES_SYMBOL_BROKER_H
#define FATHOM_ACTIONS_NAMES_SYMBOL_BROKER_H

#include "process/broker.h"
#include "symbols/user/user-symbols.h"

/*
 * Starts the broker. With @debuginfod it also asks the servers that the user has chosen, through the program
 * debuginfod-find, for files that are not here. To be called before the sandbox is entered, with sandbox_enter_asking().
 */
int symbol_broker_start(struct broker *broker, bool debuginfod, struct fathom_err *err);
/* Lets @symbols ask it, and makes C++ names readable where the machine can. Also before the sandbox. */
void symbol_broker_use(struct broker *broker, struct user_symbols *symbols);

#endif
