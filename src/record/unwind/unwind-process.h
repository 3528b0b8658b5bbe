/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The process of an unwinder (record/unwind/unwinder.h), and the messages that it receives. Parses
 * untrusted files; runs confined.
 */
#ifndef FATHOM_RECORD_UNWIND_UNWIND_PROCESS_H
#define FATHOM_RECORD_UNWIND_UNWIND_PROCESS_H

#include <stdint.h>

#include "record/unwind/unwinder.h"

enum unwind_message_kind {
	UNWIND_FILE = 1, /* with the open file, if available */
	UNWIND_ENTRY,
	UNWIND_SAMPLE, /* followed by the bytes of the stack */
};

struct unwind_message {
	uint32_t kind;
	uint32_t unused;
	union {
		struct {
			uint32_t number;
			uint32_t is_data; /* contains no code */
			uint64_t size;
		} file;
		struct map_log_entry entry;
		struct unwind_question sample;
	};
};

/* More than perf can copy. */
#define UNWIND_STACK_MAX 65536

/*
 * Serves requests until the socket is closed. @data is an _Atomic uint32_t in shared memory, the
 * number of the file whose rules are being read, so that the file is known if the process crashes;
 * 0: none.
 */
void unwind_process_serve(int fd, void *data);

#endif
