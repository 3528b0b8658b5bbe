/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How processes ended, and the signals that they got, as words and as JSON. */
#ifndef FATHOM_RENDER_COMMAND_SIGNALS_H
#define FATHOM_RENDER_COMMAND_SIGNALS_H

#include "analyze/summary.h"
#include "base/strbuf.h"
#include "render/kit/json.h"

/* "ended with 0", "killed by SIGKILL", behind @before. False: it is not known, and nothing is put. */
bool signals_put_ending(struct strbuf *buf, const char *before, struct process_ending ending);
/* Members of the object of a process. */
void signals_json_ending(struct json *json, struct process_ending ending);

/* "10 SIGUSR1 to make-17 from sh-12, handled". */
void signals_put(struct strbuf *buf, const struct summary *summary,
		 const struct process_signal *signal);
void signals_json(struct json *json, const struct summary *summary,
		  const struct process_signal *signal);

#endif
