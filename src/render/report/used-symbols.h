/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The symbols of the kernel that a trace needs: of 200,000 some thousand, which is most of the
 * size of a small recording. Whatever word of an event is an address in a symbol, that one stays.
 */
#ifndef FATHOM_RENDER_REPORT_USED_SYMBOLS_H
#define FATHOM_RENDER_REPORT_USED_SYMBOLS_H

#include <fathom/err.h>
#include <fathom/trace.h>

#include "base/strbuf.h"

/* Reads all events; adds the lines of their symbols, as /proc/kallsyms has them. 0 or a negative errno. */
int used_symbols(struct fathom_trace *trace, struct strbuf *text, struct fathom_err *err);

#endif
