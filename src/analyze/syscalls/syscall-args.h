/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System calls in C notation: an entry event of openat becomes openat(AT_FDCWD, "/etc/passwd",
 * O_RDONLY|O_CLOEXEC, 0). The number and names of the arguments come from the event's format, the
 * meaning of values from syscall-values.h. raw_syscalls:sys_enter has neither; its records become
 * six numbers.
 *
 * Records contain pointers to user memory, not its contents. Strings are shown if the kernel also
 * recorded them (in fields such as "__filename_val" of newer kernels), or if the caller knows them.
 * Not thread-safe.
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

/*
 * A cache of event formats, which must outlive it. Empty when zero-initialized; the caller may set
 * @machine.
 */
struct syscall_args {
	enum value_machine machine;
	struct syscall_plan **plans; /* by event ID */
	struct arena arena;
	bool nomem; /* some calls were shown without arguments */
};

/* The entry of a call. Members are NULL if unknown. All pointers belong to the caller. */
struct syscall_start {
	uint16_t id; /* of the event */
	const struct event_format *format;
	const void *record;
	size_t size;
	const char *name; /* of the call, if the format does not have it */
	const char *path; /* first path looked up during the call */
	size_t path_len;
	const char *files[SYSCALL_ARGS_MAX]; /* paths of the arguments that are descriptors */
};

/* Returns the information that an entry event has about its call; valid as long as the event. */
static inline struct syscall_start syscall_start_of(const struct decoded_event *decoded)
{
	return (struct syscall_start){ .id = decoded->event->id,
				       .format = decoded->entry->format,
				       .record = decoded->event->data,
				       .size = decoded->event->size };
}

/* Appends "openat(AT_FDCWD, ...)", or "syscall_257(...)" if the name is unknown. */
void syscall_args_put(struct strbuf *buf, struct syscall_args *args,
		      const struct syscall_start *start);
/*
 * The arguments one by one. @i must be less than syscall_args_count(). A name is NULL if unknown,
 * and valid as long as the event's format.
 */
size_t syscall_args_count(struct syscall_args *args, const struct syscall_start *start);
const char *syscall_arg_name(struct syscall_args *args, const struct syscall_start *start,
			     size_t i);
/* Returns false if the record is too short. */
bool syscall_arg_value(struct syscall_args *args, const struct syscall_start *start, size_t i,
		       uint64_t *ret_value);
/*
 * Appends an argument as in syscall_args_put(). Returns false, without appending, if the other
 * arguments show that this one is unused.
 */
bool syscall_arg_put(struct strbuf *buf, struct syscall_args *args,
		     const struct syscall_start *start, size_t i);
/* Returns whether the argument is a file descriptor; if so, in *@ret_fd. */
bool syscall_arg_fd(struct syscall_args *args, const struct syscall_start *start, size_t i,
		    int32_t *ret_fd);
/* Finds the path in the record itself, not NUL-terminated. Returns false if there is none. */
bool syscall_args_path(struct syscall_args *args, const struct syscall_start *start,
		       const char **ret_text, size_t *ret_len);
/* Returns the name of the call from the event's name, or NULL. */
const char *syscall_format_name(const struct event_format *format);

/* Appends "3", "3</etc/passwd>" with @file, "0x7f...", or "-ENOENT (No such file or directory)". */
void syscall_result_put(struct strbuf *buf, const char *name, int64_t result, const char *file);

void syscall_args_done(struct syscall_args *args);

#endif
