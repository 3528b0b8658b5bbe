/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Applies the options of 'fathom report' to open traces: filters, time ranges, output. */
#ifndef FATHOM_ACTIONS_REPORT_REPORT_SETUP_H
#define FATHOM_ACTIONS_REPORT_REPORT_SETUP_H

#include "actions/report/report-args.h"
#include "base/arena.h"
#include "render/kit/out.h"
#include "render/report/graph.h"
#include "render/report/report-fields.h"
#include "render/report/report-filter.h"
#include "render/report/report-json.h"
#include "render/report/report-run.h"
#include "render/waits/wakeup.h"
#include "symbols/kernel/kallsyms.h"
#include "symbols/user/user-symbols.h"

struct report_setup {
	struct report_args *args;
	const struct kallsyms *kallsyms; /* used instead of those of the traces, or NULL */
	struct user_symbols *user_symbols; /* of the inputs; NULL: not wanted */
	struct report_input *inputs;
	struct report_filter *filters; /* of the inputs */
	size_t n_inputs;
	struct report_run run;
	struct report_json json;
	struct report_fields fields;
	struct graph graph;
	struct wakeup wakeup;
	struct arena arena;
};

/* Enables colours, if the output has them. Call first. */
void report_setup_colors(struct report_args *args, const struct out *out);
/* Reserves room for @n inputs. */
int report_setup_room(struct report_setup *setup, size_t n, struct fathom_err *err);
/* Adds an input, and takes ownership of its trace. */
void report_setup_add(struct report_setup *setup, struct fathom_trace *trace, const char *label);
/* Prepares the pass over all inputs. */
int report_setup_prepare(struct report_setup *setup, struct fathom_err *err);
/* Selects the output format. */
void report_setup_writer(struct report_setup *setup);
void report_setup_done(struct report_setup *setup);

#endif
