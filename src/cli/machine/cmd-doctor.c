/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom doctor: what this machine can trace, what is in the way, who else is tracing. */
#include "cli/kit/commands.h"

#include "actions/machine/doctor-run.h"
#include "render/machine/doctor.h"

static const struct option_def options[] = {
	OPT_FLAG('v', "verbose", struct doctor_args, verbose,
		 "list every feature, with how it was found out and what would change it"),
	OPT_FLAG(0, "cost", struct doctor_args, cost,
		 "also estimate what an event, a function call and each kind of probe costs"),
	OPT_FLAG(0, "json", struct doctor_args, json, "print JSON, for programs"),
	OPT_FLAG(0, "try", struct doctor_args, may_try,
		 "also test by creating probes and an instance and attaching BPF programs to a "
		 "kernel function; everything is removed again (needs root)"),
	OPT_FLAG(0, "mount", struct doctor_args, mount,
		 "mount the tracing directory first, where it is not mounted (as root)"),
	OPT_END,
};

const struct command command_doctor = {
	.name = "doctor",
	.summary = "say what this machine can trace, and who is tracing",
	.description = "Asks the running kernel what it can trace and says what works, what works "
		       "in another way, what does not and why; then what is being traced right "
		       "now, and what earlier runs have left behind. Read-only without "
		       "--try and --mount.",
	.operands = "",
	.options = options,
	.args_size = sizeof(struct doctor_args),
	.run = doctor_run,
};
