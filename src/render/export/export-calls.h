/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs outputs that show aggregated function calls instead of events. For export.c only. */
#ifndef FATHOM_RENDER_EXPORT_EXPORT_CALLS_H
#define FATHOM_RENDER_EXPORT_EXPORT_CALLS_H

#include "render/export.h"

/* Aggregates the calls and calls the output's calls(). Returns 0 or a negative errno. */
int export_run_calls(struct export *export, struct fathom_err *err);

#endif
