/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/plan/run-probes.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/quote.h"

/* A buffer of writev(), by the locations of its address and size. */
#define PART(i, base, len) \
	" text" #i "=+0(+u" #base "($arg2)):ustring size" #i "=+u" #len "($arg2):u64"

/* The kernel has copied the path before it looks it up. */
static const struct {
	const char *name, *probe;
	bool for_why;
} probes[] = {
	{ "path_open", "do_filp_open dir=$arg1:s32 path=+0(+0($arg2)):string" },
	{ "path_open", "do_file_open dir=$arg1:s32 path=+0(+0($arg2)):string" }, /* since 7.0 */
	{ "path_lookup", "filename_lookup dir=$arg1:s32 path=+0(+0($arg2)):string" },
	/* Creation, renaming and removal. */
	{ "path_parent", "filename_parentat dir=$arg1:s32 path=+0(+0($arg2)):string", true },
	{ "path_parent", "__filename_parentat dir=$arg1:s32 path=+0(+0($arg2)):string",
	  true }, /* since 5.15 */
	{ "written", "ksys_write fd=$arg1:s32 text=+0($arg2):ustring size=$arg3:u64", true },
	/* If a library is missing, the dynamic loader writes ten parts. */
	{ "written_parts",
	  "do_writev fd=$arg1:s32 n=$arg3:u64" PART(0, 0, 8) PART(1, 16, 24) PART(2, 32, 40)
		  PART(3, 48, 56) PART(4, 64, 72) PART(5, 80, 88) PART(6, 96, 104) PART(7, 112, 120)
			  PART(8, 128, 136) PART(9, 144, 152),
	  true },
	/* Called while the request is sent; its header identifies it. */
	{ "netlink_answer",
	  "netlink_ack error=$arg3:s32 type=+4($arg2):u16 text=+0(+0($arg4)):string head=+0($arg2):x8[64]",
	  true },
	{ "capability", "cap_capable cap=$arg3:s32", true },
};

int run_probes_add(struct plan *plan, bool for_why, struct fathom_err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(probes); i++)
		if ((for_why || !probes[i].for_why) &&
		    plan_add_probe(&plan->buffers[0], probes[i].name, probes[i].probe) < 0)
			return err_nomem(err);
	return 0;
}

void run_probes_functions(struct strbuf *names)
{
	for (size_t i = 0; i < ARRAY_SIZE(probes); i++)
		quote_addf(names, "%.*s\n", (int)strcspn(probes[i].probe, " "), probes[i].probe);
}
