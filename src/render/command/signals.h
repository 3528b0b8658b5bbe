/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Renders how processes ended, and the signals sent to them, as text and as JSON. */
#ifndef FATHOM_RENDER_COMMAND_SIGNALS_H
#define FATHOM_RENDER_COMMAND_SIGNALS_H

#include "analyze/summary.h"
#include "base/strbuf.h"
#include "render/kit/json.h"

/*
 * Appends @before and "exit status 0" or "killed by SIGKILL". Returns false and appends nothing if
 * the end is unknown.
 */
bool signals_put_ending(struct strbuf *buf, const char *before, struct process_ending ending);
/* Appends "sh-195", or "pid 195" if its name is unknown. */
void signals_put_task(struct strbuf *buf, const struct summary *summary, int32_t pid);
/* Appends members to the open object of a process; none if the end is unknown. */
void signals_json_ending(struct json *json, struct process_ending ending);

/* Appends "10 SIGUSR1 to make-17 from sh-12, handled". */
void signals_put(struct strbuf *buf, const struct summary *summary,
		 const struct process_signal *signal);
void signals_json(struct json *json, const struct summary *summary,
		  const struct process_signal *signal);

#endif
