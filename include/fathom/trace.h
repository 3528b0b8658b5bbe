/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading a recorded trace: a trace.dat of version 6 or 7, whoever wrote it.
 *
 * Opening reads only what describes the file; events are read through cursors
 * (see fathom/cursor.h). A file that is cut off or damaged opens as long as it
 * begins as a trace file, and is read as far as it is sound: look at
 * fathom_trace_damage() before saying that all was there.
 *
 * Strings and bytes that come from a trace belong to it and live as long as it
 * does. One trace may be used by several threads, each with cursors of its own,
 * except for fathom_trace_free(), fathom_trace_section(), fathom_trace_formats(), and
 * fathom_trace_text(), which must not run beside another call for the same trace.
 */
#ifndef FATHOM_TRACE_H
#define FATHOM_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>
#include <fathom/export.h>

#ifdef __cplusplus
extern "C" {
#endif

struct fathom_trace;

enum fathom_open_flags {
	FATHOM_OPEN_RAW_TIME = 1, /**< times as they are in the ring buffer */
	FATHOM_OPEN_NO_DATE = 2, /**< do not turn times into dates where the file could */
	FATHOM_OPEN_NO_MAP = 4 /**< read, do not map: the file may be truncated later */
};

/**
 * Opens the trace file at @path. The trace goes to @ret_trace and is released with
 * fathom_trace_free(). 0 or a negative errno.
 */
FATHOM_API int fathom_trace_open(const char *path, unsigned flags, struct fathom_trace **ret_trace,
				 struct fathom_err *err);
/** The same for an open file, which the trace takes over, also when this fails. */
FATHOM_API int fathom_trace_open_fd(int fd, unsigned flags, struct fathom_trace **ret_trace,
				    struct fathom_err *err);
/** Releases the trace; its cursors must be gone before. NULL is fine. */
FATHOM_API void fathom_trace_free(struct fathom_trace *trace);

/** What the file says about itself; texts are "" when it does not say. */
struct fathom_trace_info {
	uint64_t file_size;
	unsigned version; /**< 6 or 7 */
	unsigned big_endian; /**< 1: numbers have their high byte first */
	unsigned user_long_size; /**< bytes of a long in user space */
	unsigned kernel_long_size; /**< bytes of a long in the kernel */
	unsigned page_size; /**< bytes of a page, or of a sub-buffer */
	unsigned cpus; /**< of the machine */
	unsigned buffers; /**< see fathom_trace_buffer() */
	unsigned guests; /**< see fathom_trace_guest() */
	const char *compression; /**< "none", "zlib", "zstd" */
	const char *compression_version;
	const char *clock; /**< of the top buffer */
	const char *uname; /**< system, host, kernel release, machine */
	const char *tracer; /**< version of the program that recorded */
	uint64_t trace_id; /**< 0: none */
	uint64_t peer_trace_id; /**< the trace id of the host's file, 0: not a guest */
	int64_t date_offset; /**< nanoseconds from the trace's time to that of day, 0: unknown */
	int64_t time_offset; /**< nanoseconds to add, as the user had asked */
	uint32_t tsc_mult, tsc_shift; /**< cycles * mult >> shift = nanoseconds; mult 0: no TSC */
	unsigned unfinished; /**< 1: its recorder is at work, or died */
};

/** What the file says about itself. Never NULL. */
FATHOM_API const struct fathom_trace_info *fathom_trace_info(const struct fathom_trace *trace);

/** A ring buffer that was recorded. */
struct fathom_trace_buffer {
	const char *name; /**< "" for the top one */
	const char *clock; /**< "" when unknown */
	uint32_t page_size;
	uint32_t cpus; /**< with data; see fathom_trace_buffer_cpu() */
	unsigned compressed; /**< 1: in compressed chunks */
	unsigned is_text; /**< 1: text of a latency tracer, without events; fathom_trace_text() */
};

/** One CPU's data in a buffer. */
struct fathom_trace_cpu {
	uint32_t cpu;
	uint64_t offset; /**< in the file */
	uint64_t size; /**< in the file */
};

/** Buffer @i, which is also the number in struct fathom_event. -ENOENT when there is none. */
FATHOM_API int fathom_trace_buffer(const struct fathom_trace *trace, size_t i,
				   struct fathom_trace_buffer *ret_buffer);
/** The @i-th CPU with data of buffer @buffer. -ENOENT when there is none. */
FATHOM_API int fathom_trace_buffer_cpu(const struct fathom_trace *trace, size_t buffer, size_t i,
				       struct fathom_trace_cpu *ret_cpu);
/** The text of a buffer that is text. -ENOENT when it is not, or there is none. */
FATHOM_API int fathom_trace_text(struct fathom_trace *trace, size_t buffer, const char **ret_text,
				 size_t *ret_size, struct fathom_err *err);

/** A guest that was traced together with this host. */
struct fathom_trace_guest {
	const char *name;
	uint64_t trace_id;
	uint32_t cpus;
	const int32_t *pids; /**< pid on the host of each of the guest's CPUs */
};

/** Guest @i. -ENOENT when there is none. */
FATHOM_API int fathom_trace_guest(const struct fathom_trace *trace, size_t i,
				  struct fathom_trace_guest *ret_guest);

/** Parts of the file that others parse. */
enum fathom_section {
	FATHOM_SECTION_HEADER_PAGE, /**< text that describes a page */
	FATHOM_SECTION_HEADER_EVENT, /**< text that describes an event's header */
	FATHOM_SECTION_KALLSYMS, /**< text of /proc/kallsyms */
	FATHOM_SECTION_PRINTK, /**< text of printk_formats */
	FATHOM_SECTION_CMDLINES, /**< text of saved_cmdlines */
	FATHOM_SECTION_BTF, /**< the kernel's types */
	FATHOM_SECTION_MODULES /**< text of /proc/modules */
};

/**
 * The bytes of a section, read and decompressed at the first call. They are not terminated by a
 * NUL. An absent section is -ENOENT.
 */
FATHOM_API int fathom_trace_section(struct fathom_trace *trace, enum fathom_section section,
				    const char **ret_bytes, size_t *ret_size,
				    struct fathom_err *err);

/** The kernel's description of an event. */
struct fathom_format_text {
	const char *system; /**< "sched"; "ftrace" for the tracers' own events */
	const char *text; /**< not terminated by a NUL */
	size_t size;
};

/**
 * All event descriptions, read at the first call: their number goes to @ret_count. Those that
 * cannot be read are left out and noted as damage.
 */
FATHOM_API int fathom_trace_formats(struct fathom_trace *trace,
				    const struct fathom_format_text **ret_formats,
				    size_t *ret_count, struct fathom_err *err);

/** A section as it lies in the file, for those who want to look inside. */
struct fathom_trace_section {
	unsigned id;
	unsigned flags; /**< 1: compressed */
	uint64_t offset;
	uint64_t size; /**< in the file, without its head */
	const char *name; /**< "KALLSYMS", "unknown" */
	const char *description; /**< by the writer; may be "" */
};

/** How many sections the file has. */
FATHOM_API size_t fathom_trace_section_count(const struct fathom_trace *trace);
/** Section @i in the order of the file. -ENOENT when there is none. */
FATHOM_API int fathom_trace_section_at(const struct fathom_trace *trace, size_t i,
				       struct fathom_trace_section *ret_section);

/** An option, known to us or not. */
struct fathom_trace_option {
	unsigned id;
	const char *name; /**< "CPUSTAT", "unknown" */
	const void *data; /**< followed by a NUL; NULL if longer than a megabyte */
	size_t size;
	uint64_t offset; /**< in the file */
};

/** How many options the file has. */
FATHOM_API size_t fathom_trace_option_count(const struct fathom_trace *trace);
/** Option @i in the order of the file. -ENOENT when there is none. */
FATHOM_API int fathom_trace_option(const struct fathom_trace *trace, size_t i,
				   struct fathom_trace_option *ret_option);

/** Something in the file that is not as it should be. */
struct fathom_trace_damage {
	uint64_t offset; /**< in the file */
	char text[168]; /**< what, and what that means */
};

/**
 * How many faults were found so far; reading events may find more. Only the first of them are
 * kept, so that fathom_trace_damage() may end before.
 */
FATHOM_API uint64_t fathom_trace_damage_count(struct fathom_trace *trace);
/** Fault @i. -ENOENT when there is none, or it was not kept. */
FATHOM_API int fathom_trace_damage(struct fathom_trace *trace, size_t i,
				   struct fathom_trace_damage *ret_damage);

#ifdef __cplusplus
}
#endif

#endif
