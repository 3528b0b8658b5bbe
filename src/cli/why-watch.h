/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions that `fathom why --once` watches, as nothing was learned of the command before. */
#ifndef FATHOM_CLI_WHY_WATCH_H
#define FATHOM_CLI_WHY_WATCH_H

#include "base/strbuf.h"
#include "cli/why-run.h"

/* Those of this kernel that the rules name, a line each; -ENOENT: there are none. 0 or a negative errno. */
int why_watched(const struct why_args *args, struct strbuf *ret_functions, struct fathom_err *err);

#endif
