/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel symbols in a recording of 'fathom why': those of its functions and probes. Cached next to
 * the journals, because the kernel takes long to list all symbols.
 */
#ifndef FATHOM_ACTIONS_WHY_WHY_SYMBOLS_H
#define FATHOM_ACTIONS_WHY_WHY_SYMBOLS_H

#include "base/strbuf.h"
#include "record/session/session-env.h"

/* Shown for addresses outside them. */
#define WHY_NOT_RECORDED "not_recorded"

/*
 * Appends the symbols of the functions @names, one per line, and of those with probes of 'fathom
 * why', in the format of /proc/kallsyms, each with its end. Appends nothing if the kernel hides
 * addresses. Returns 0 or -ENOMEM.
 */
int why_symbols(struct session_env *env, const char *names, struct strbuf *text);

#endif
