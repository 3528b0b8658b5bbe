/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For outputs that want the calls of functions, added up, instead of the events. */
#ifndef FATHOM_RENDER_EXPORT_EXPORT_CALLS_H
#define FATHOM_RENDER_EXPORT_EXPORT_CALLS_H

#include "render/export.h"

/* Adds up the calls and has the output write them. 0 or a negative errno. */
int export_run_calls(struct export *export, struct fathom_err *err);

#endif
