/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System calls as one would write them in C: the record of an event "sys_enter_openat" becomes
 * openat(AT_FDCWD, "/etc/passwd", O_RDONLY|O_CLOEXEC, 0). How many arguments there are and what
 * they are called is told by the event's own format, what their values mean by
 * syscall-values.c. A record of raw_syscalls:sys_enter has neither, and becomes six numbers.
 *
 * Records hold pointers of the program, not what they point at. Text appears where the kernel
 * has recorded it as well (fields "__filename_val" of newer ones) or the caller knows it.
 */
#ifndef FATHOM_ANALYZE_SYSCALLS_SYSCALL_ARGS_H
#define FATHOM_ANALYZE_SYSCALLS_SYSCALL_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/stream/decoded-event.h"
#include "analyze/syscalls/syscall-values.h"
#include "base/arena.h"
#include "base/strbuf.h"
#include "format/event/event-format.h"

#define SYSCALL_ARGS_MAX 6

struct syscall_plan;

/* Zero-initialised is empty; @machine may be set. What was found out about formats is kept. */
struct syscall_args {
	enum value_machine machine;
	struct syscall_plan **plans; /* by the id of the event */
	struct arena arena;
	bool nomem; /* some calls were shown as if nothing was known about them */
};

/* How a call began. What is NULL is not known. */
struct syscall_start {
	uint16_t id; /* of the event */
	const struct event_format *format;
	const void *record;
	size_t size;
	const char *name; /* of the call, for a format that does not tell */
	const char *path; /* the first one that the kernel looked for in the call */
	size_t path_len;
	const char *files[SYSCALL_ARGS_MAX]; /* what arguments stand for that are open files */
};

/* What an entry says of its call. */
static inline struct syscall_start syscall_start_of(const struct decoded_event *decoded)
{
	return (struct syscall_start){ .id = decoded->event->id,
				       .format = decoded->entry->format,
				       .record = decoded->event->data,
				       .size = decoded->event->size };
}

/* "openat(AT_FDCWD, ...)"; "syscall_257(...)" without a name. */
void syscall_args_put(struct strbuf *buf, struct syscall_args *args,
		      const struct syscall_start *start);
/* The arguments alone, one by one. */
size_t syscall_args_count(struct syscall_args *args, const struct syscall_start *start);
const char *syscall_arg_name(struct syscall_args *args, const struct syscall_start *start,
			     size_t i);
/* False: the record is too short. */
bool syscall_arg_value(struct syscall_args *args, const struct syscall_start *start, size_t i,
		       uint64_t *ret_value);
/* As syscall_args_put() has it. False: it is none, for what else the call is given. */
bool syscall_arg_put(struct strbuf *buf, struct syscall_args *args,
		     const struct syscall_start *start, size_t i);
/* Is it the number of an open file? Then it is in *@ret_fd. */
bool syscall_arg_fd(struct syscall_args *args, const struct syscall_start *start, size_t i,
		    int32_t *ret_fd);
/* The path that the record itself has, not terminated. */
bool syscall_args_path(struct syscall_args *args, const struct syscall_start *start,
		       const char **ret_text, size_t *ret_len);
/* What a call is named by its format; NULL: by none. */
const char *syscall_format_name(const struct event_format *format);

/* "3", "3</etc/passwd>" with @file, "0x7f...", "-ENOENT (No such file or directory)". */
void syscall_result_put(struct strbuf *buf, const char *name, int64_t result, const char *file);

void syscall_args_done(struct syscall_args *args);

#endif
