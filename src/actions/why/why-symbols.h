/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbols of the kernel that a recording of `fathom why` needs: those of its functions and of its probes. They are kept
 * beside the journals, as the kernel takes long to list all.
 */
#ifndef FATHOM_ACTIONS_WHY_WHY_SYMBOLS_H
#define FATHOM_ACTIONS_WHY_WHY_SYMBOLS_H

#include "base/strbuf.h"
#include "record/session/session-env.h"

/* What is shown for an address between them. */
#define WHY_NOT_RECORDED "not_recorded"

/*
 * Appends the symbols of the functions @names, a line each, and those that 'fathom why' has probes in, as /proc/kallsyms has
 * them, each with its end. Nothing is appended when the kernel shows no addresses. 0 or -ENOMEM.
 */
int why_symbols(struct session_env *env, const char *names, struct strbuf *text);

#endif
