/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads recorded traces: trace.dat files of version 6 or 7, written by any program.
 *
 * Opening a trace reads only its metadata; events are read through cursors (see fathom/cursor.h). A
 * truncated or damaged file can be opened if it begins like a trace file, and is read as far as it
 * is intact: check fathom_trace_damage_count() before relying on completeness.
 *
 * Strings and bytes returned for a trace belong to it, and are valid until it is released. Several
 * threads may use a trace, each with its own cursors. However, fathom_trace_free(),
 * fathom_trace_section(), fathom_trace_formats() and fathom_trace_text() must not run concurrently
 * with any other call for the same trace.
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
	FATHOM_OPEN_RAW_TIME = 1, /**< don't convert the times in the ring buffer */
	FATHOM_OPEN_NO_DATE = 2, /**< don't convert times to dates, even if the file permits that */
	FATHOM_OPEN_NO_MAP = 4 /**< read instead of mmap(): the file may be truncated */
};

/**
 * Opens the trace file @path. @flags is a set of enum fathom_open_flags. Release *@ret_trace with
 * fathom_trace_free(). Returns 0 or a negative errno.
 */
FATHOM_API int fathom_trace_open(const char *path, unsigned flags, struct fathom_trace **ret_trace,
				 struct fathom_err *err);
/** The same for an open file. Takes ownership of @fd, even on failure. */
FATHOM_API int fathom_trace_open_fd(int fd, unsigned flags, struct fathom_trace **ret_trace,
				    struct fathom_err *err);
/** Releases the trace; accepts NULL. Its cursors must be released first. */
FATHOM_API void fathom_trace_free(struct fathom_trace *trace);

/** General information from the file. Missing texts are "". */
struct fathom_trace_info {
	uint64_t file_size;
	unsigned version; /**< 6 or 7 */
	unsigned big_endian; /**< 1: numbers are big-endian */
	unsigned user_long_size; /**< size of a long in user space, in bytes */
	unsigned kernel_long_size; /**< size of a long in the kernel, in bytes */
	unsigned page_size; /**< size of a page or sub-buffer, in bytes */
	unsigned cpus; /**< number of CPUs of the machine */
	unsigned buffers; /**< their number; see fathom_trace_buffer() */
	unsigned guests; /**< their number; see fathom_trace_guest() */
	const char *compression; /**< "none", "zlib", "zstd" */
	const char *compression_version;
	const char *clock; /**< of the top-level buffer */
	const char *uname; /**< system, host, kernel release, machine */
	const char *tracer; /**< version of the recording program */
	uint64_t trace_id; /**< 0: none */
	uint64_t peer_trace_id; /**< trace ID of the host's file; 0: not a guest */
	int64_t date_offset; /**< from trace time to time of day, in ns; 0: unknown */
	int64_t time_offset; /**< to add to times as requested by the user, in ns */
	uint32_t tsc_mult, tsc_shift; /**< cycles * mult >> shift = nanoseconds; mult 0: no TSC */
	unsigned unfinished; /**< 1: its recorder is still running or was killed */
};

/** Returns general information from the file. Never NULL. */
FATHOM_API const struct fathom_trace_info *fathom_trace_info(const struct fathom_trace *trace);

/** A recorded ring buffer. */
struct fathom_trace_buffer {
	const char *name; /**< "" for the top-level buffer */
	const char *clock; /**< "" if unknown */
	uint32_t page_size;
	uint32_t cpus; /**< number of CPUs with data; see fathom_trace_buffer_cpu() */
	unsigned compressed; /**< 1: in compressed chunks */
	unsigned is_text; /**< 1: text of a latency tracer, no events; see fathom_trace_text() */
};

/** The data of a CPU in a buffer. */
struct fathom_trace_cpu {
	uint32_t cpu;
	uint64_t offset; /**< in the file */
	uint64_t size; /**< in the file, in bytes */
};

/** Describes buffer @i, as numbered in struct fathom_event. Returns -ENOENT if there is none. */
FATHOM_API int fathom_trace_buffer(const struct fathom_trace *trace, size_t i,
				   struct fathom_trace_buffer *ret_buffer);
/** Describes the @i-th CPU with data in @buffer. Returns -ENOENT if there is none. */
FATHOM_API int fathom_trace_buffer_cpu(const struct fathom_trace *trace, size_t buffer, size_t i,
				       struct fathom_trace_cpu *ret_cpu);
/** Returns the text of a buffer that is text; -ENOENT for others, or if there is no such buffer. */
FATHOM_API int fathom_trace_text(struct fathom_trace *trace, size_t buffer, const char **ret_text,
				 size_t *ret_size, struct fathom_err *err);

/** A guest that was traced together with this host. */
struct fathom_trace_guest {
	const char *name;
	uint64_t trace_id;
	uint32_t cpus;
	const int32_t *pids; /**< host pid of each guest CPU */
};

/** Describes guest @i. Returns -ENOENT if there is none. */
FATHOM_API int fathom_trace_guest(const struct fathom_trace *trace, size_t i,
				  struct fathom_trace_guest *ret_guest);

/** Parts of the file that the caller parses. */
enum fathom_section {
	FATHOM_SECTION_HEADER_PAGE, /**< text: the layout of a page */
	FATHOM_SECTION_HEADER_EVENT, /**< text: the layout of an event header */
	FATHOM_SECTION_KALLSYMS, /**< text: /proc/kallsyms */
	FATHOM_SECTION_PRINTK, /**< text: printk_formats */
	FATHOM_SECTION_CMDLINES, /**< text: saved_cmdlines */
	FATHOM_SECTION_BTF, /**< type information of the kernel */
	FATHOM_SECTION_MODULES /**< text: /proc/modules */
};

/**
 * Returns the bytes of a section, without a terminating NUL, in *@ret_bytes. They are read and
 * decompressed on the first call. Returns 0 or a negative errno, -ENOENT if there is no such section.
 */
FATHOM_API int fathom_trace_section(struct fathom_trace *trace, enum fathom_section section,
				    const char **ret_bytes, size_t *ret_size,
				    struct fathom_err *err);

/** The format of an event, as described by the kernel. */
struct fathom_format_text {
	const char *system; /**< "sched"; "ftrace" for the tracers' own events */
	const char *text; /**< not NUL-terminated */
	size_t size;
};

/**
 * Returns the formats of all events in *@ret_formats, and their number in *@ret_count. They are
 * read on the first call. Unreadable ones are omitted and reported as damage. Returns 0 or a
 * negative errno.
 */
FATHOM_API int fathom_trace_formats(struct fathom_trace *trace,
				    const struct fathom_format_text **ret_formats,
				    size_t *ret_count, struct fathom_err *err);

/** A section of the file, for tools that examine files. */
struct fathom_trace_section {
	unsigned id;
	unsigned flags; /**< 1: compressed */
	uint64_t offset; /**< in the file */
	uint64_t size; /**< in the file, without its header, in bytes */
	const char *name; /**< "KALLSYMS", "unknown" */
	const char *description; /**< as given by the writer; may be "" */
};

/** Returns the number of sections. */
FATHOM_API size_t fathom_trace_section_count(const struct fathom_trace *trace);
/** Describes section @i, in file order. Returns -ENOENT if there is none. */
FATHOM_API int fathom_trace_section_at(const struct fathom_trace *trace, size_t i,
				       struct fathom_trace_section *ret_section);

/** An option, including those unknown to this library. */
struct fathom_trace_option {
	unsigned id;
	const char *name; /**< "CPUSTAT", "unknown" */
	const void *data; /**< NUL-terminated; NULL if longer than a megabyte */
	size_t size;
	uint64_t offset; /**< in the file */
};

/** Returns the number of options. */
FATHOM_API size_t fathom_trace_option_count(const struct fathom_trace *trace);
/** Describes option @i, in file order. Returns -ENOENT if there is none. */
FATHOM_API int fathom_trace_option(const struct fathom_trace *trace, size_t i,
				   struct fathom_trace_option *ret_option);

/** A defect of the file. */
struct fathom_trace_damage {
	uint64_t offset; /**< in the file */
	char text[168]; /**< the defect and its effect */
};

/**
 * Returns the number of defects found so far; reading events may find more. Only the first ones are
 * kept, so fathom_trace_damage() may have fewer.
 */
FATHOM_API uint64_t fathom_trace_damage_count(struct fathom_trace *trace);
/** Describes defect @i. Returns -ENOENT if there is none, or if it was not kept. */
FATHOM_API int fathom_trace_damage(struct fathom_trace *trace, size_t i,
				   struct fathom_trace_damage *ret_damage);

#ifdef __cplusplus
}
#endif

#endif
