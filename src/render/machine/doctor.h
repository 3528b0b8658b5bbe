/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The report of fathom doctor, as text and as JSON. */
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

/* The parts belong to the caller. */
struct doctor_report {
	const struct fathom_features *features;
	const struct trace_state *state;
	const struct tracefs *tracefs;
	const struct host *host;
	bool tried; /* with FATHOM_FEATURES_TRY */
	const struct left_recordings *recordings;
	const struct price_table *prices; /* NULL: not requested */
};

/* With @verbose, every feature is listed with how it was checked. 0 or -ENOMEM. */
int doctor_print_text(struct out *out, const struct doctor_report *report, bool verbose);
/* The sections about current users of tracing and leftovers. */
void doctor_print_state(struct out *out, const struct trace_state *state);
/* The section about recordings whose recorder was killed. */
void doctor_print_recordings(struct out *out, const struct left_recordings *left);
/* The schema is in fathom-doctor(1). */
void doctor_write_json(struct strbuf *buf, const struct doctor_report *report);

#endif
