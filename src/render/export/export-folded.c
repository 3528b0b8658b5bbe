/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls as folded stacks: lines of text with the path of functions and its self time. */
#include "base/err.h"
#include "render/export.h"
#include "render/time/flame.h"

static int export_folded_write_calls(struct export *export, const struct export_calls *calls,
				     struct fathom_err *err)
{
	return flame_print_folded(calls->tree, FLAME_WALL, export->sink) < 0 ? err_nomem(err) : 0;
}

const struct export_output export_folded = {
	.name = "folded",
	.suffix = ".folded",
	.summary = "folded stacks: FlameGraph, speedscope, inferno",
	.open = "open it with flamegraph.pl or at https://www.speedscope.app",
	.calls = export_folded_write_calls,
};
