/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides which files a sandboxed reader receives for symbolization: ELF files; maps of
 * JIT-compiled code written by the user or root; and cached symbol tables, if the user has a
 * directory fathom/symbols in the cache directory. Nothing else, whatever the trace names.
 */
#ifndef FATHOM_ACTIONS_NAMES_SYMBOL_BROKER_H
#define FATHOM_ACTIONS_NAMES_SYMBOL_BROKER_H

#include "process/broker.h"
#include "symbols/user/user-symbols.h"

/*
 * Starts the broker. With @debuginfod it also requests missing files from the user's servers, with
 * debuginfod-find. Call before entering the sandbox with sandbox_enter_asking().
 */
int symbol_broker_start(struct broker *broker, bool debuginfod, struct fathom_err *err);
/*
 * Lets @symbols use the broker, and demangles C++ names if possible. Also call before the sandbox.
 */
void symbol_broker_use(struct broker *broker, struct user_symbols *symbols);

#endif
