/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the kernel symbols that a recording needs: a few thousand of 200,000, which make up most of
 * a small recording. A symbol is kept if any word of any event is an address in it.
 */
#ifndef FATHOM_RENDER_REPORT_USED_SYMBOLS_H
#define FATHOM_RENDER_REPORT_USED_SYMBOLS_H

#include <fathom/err.h>
#include <fathom/trace.h>

#include "base/strbuf.h"

/*
 * Reads all events and appends the lines of their symbols, in the format of /proc/kallsyms. Returns
 * 0 or a negative errno.
 */
int used_symbols(struct fathom_trace *trace, struct strbuf *text, struct fathom_err *err);

#endif
