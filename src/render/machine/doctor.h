/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Renders the report of fathom doctor, as text and as JSON. Nothing here examines the machine.
 * Names of processes, programs and instances in @state are untrusted; they are quoted.
 */
#ifndef FATHOM_RENDER_MACHINE_DOCTOR_H
#define FATHOM_RENDER_MACHINE_DOCTOR_H

#include <fathom/features.h>

#include "base/strbuf.h"
#include "kernel/host.h"
#include "kernel/state/state.h"
#include "kernel/tracefs/tracefs.h"
#include "record/file/left-recordings.h"
#include "render/kit/out.h"
#include "render/machine/price-table.h"

/* Nothing in a report is owned. */
struct doctor_report {
	const struct fathom_features *features;
	const struct trace_state *state;
	const struct tracefs *tracefs;
	const struct host *host;
	bool tried; /* features were detected with FATHOM_FEATURES_TRY */
	const struct left_recordings *recordings;
	const struct price_table *prices; /* NULL: not requested */
};

/* With @verbose, lists every feature and how it was checked. Returns 0 or -ENOMEM. */
int doctor_print_text(struct out *out, const struct doctor_report *report, bool verbose);
/* Prints the sections about current users of tracing and leftovers. */
void doctor_print_state(struct out *out, const struct trace_state *state);
/* Prints the section about recordings whose recorder was killed. */
void doctor_print_recordings(struct out *out, const struct left_recordings *left);
/*
 * Appends an object, documented in fathom-doctor(1), or its features as CSV. The caller checks @buf.
 */
void doctor_write_json(struct strbuf *buf, const struct doctor_report *report, bool csv);

#endif
