/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The process of an unwinder (record/unwind/unwinder.h), and the messages that it is sent. */
#ifndef FATHOM_RECORD_UNWIND_UNWIND_PROCESS_H
#define FATHOM_RECORD_UNWIND_UNWIND_PROCESS_H

#include "record/unwind/unwinder.h"

enum unwind_message_kind {
	UNWIND_FILE = 1, /* with the open file, if there is one to be had */
	UNWIND_ENTRY,
	UNWIND_SAMPLE, /* the bytes of the stack follow */
};

struct unwind_message {
	uint32_t kind;
	uint32_t unused;
	union {
		struct {
			uint32_t number;
			uint32_t is_data; /* no code is in it */
			uint64_t size;
		} file;
		struct map_log_entry entry;
		struct unwind_question sample;
	};
};

/* More of a stack than perf can copy. */
#define UNWIND_STACK_MAX 65536

/*
 * Serves until nobody asks any more. @data is an _Atomic uint32_t in shared memory: the number of the file that is being
 * read, so that the file is known if that is the end of the process; 0: none.
 */
void unwind_process_serve(int fd, void *data);

#endif
