/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The work of `fathom report`, once its options are read. */
#ifndef FATHOM_CLI_REPORT_REPORT_SHOW_H
#define FATHOM_CLI_REPORT_REPORT_SHOW_H

#include "cli/kit/command.h"
#include "cli/report/report-args.h"

/* Returns the exit code. */
int report_show(const struct invocation *invocation, struct report_args *args);

#endif
