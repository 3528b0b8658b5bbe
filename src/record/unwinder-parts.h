/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The recorder's side of the process that unwinds, for tests that answer in its place. */
#ifndef FATHOM_RECORD_UNWINDER_PARTS_H
#define FATHOM_RECORD_UNWINDER_PARTS_H

#include "base/confined.h"
#include "record/unwinder.h"

struct unwinder {
	struct confined process;
	int buffer; /* what the kernel has granted */
	uint64_t open; /* questions without an answer */
	bool failed;
};

#endif
