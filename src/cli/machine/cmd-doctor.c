/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom doctor: check what this machine can trace. */
#include "cli/kit/commands.h"

#include "actions/machine/doctor-run.h"
#include "render/machine/doctor.h"

static const struct option_def options[] = {
	OPT_FLAG('v', "verbose", struct doctor_args, verbose,
		 "list every feature, with how it was checked and what it needs"),
	OPT_FLAG(0, "cost", struct doctor_args, cost,
		 "also estimate the cost of events, function calls and probes"),
	OPT_FLAG(0, "json", struct doctor_args, json, "print JSON"),
	OPT_FLAG(0, "csv", struct doctor_args, csv, "print the features as comma-separated values"),
	OPT_FLAG(0, "try", struct doctor_args, may_try,
		 "also create probes and an instance and attach BPF programs to a kernel "
		 "function as a test, and remove them again (needs root)"),
	OPT_FLAG(0, "mount", struct doctor_args, mount,
		 "mount tracefs first if it is not mounted (needs root)"),
	OPT_END,
};

const struct command command_doctor = {
	.name = "doctor",
	.summary = "check what this machine can trace",
	.description = "Checks what the running kernel can trace: what it supports, "
		       "workarounds, and what is missing and why; who is tracing now; and what "
		       "earlier sessions left behind. Read-only without --try and --mount.",
	.operands = "",
	.options = options,
	.args_size = sizeof(struct doctor_args),
	.run = doctor_run,
};
