/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The structure of a trace.dat file, version 6 or 7: its sections, options, buffers and CPUs, and
 * where their bytes are. Nothing large is read: event formats, symbols and CPU data stay in the
 * file until they are requested.
 *
 * Files are untrusted. A truncated or damaged file is described as far as it is intact, and each
 * problem is noted in @damage. Every range in these structs is within the file.
 *
 * A trace_file owns all memory that its structs point to; it is valid until trace_file_done(). Only
 * parsing modifies it (and @damage, which locks itself), so threads can share it afterwards if they
 * can share the view.
 */
#ifndef FATHOM_FORMAT_FILE_TRACE_FILE_H
#define FATHOM_FORMAT_FILE_TRACE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

#include "base/arena.h"
#include "format/page/damage.h"
#include "format/compress/inflate.h"
#include "format/page/page.h"
#include "format/time-convert.h"
#include "format/event/view.h"

/* The first bytes of each file. */
#define TRACE_FILE_MAGIC "\x17\x08\x44tracing"

/* IDs of options; most of them are also IDs of the section to which the option points. */
enum trace_id {
	TRACE_ID_DONE = 0, /* as a section: options */
	TRACE_ID_DATE = 1,
	TRACE_ID_CPUSTAT = 2,
	TRACE_ID_BUFFER = 3,
	TRACE_ID_TRACECLOCK = 4,
	TRACE_ID_UNAME = 5,
	TRACE_ID_HOOK = 6,
	TRACE_ID_OFFSET = 7,
	TRACE_ID_CPUCOUNT = 8,
	TRACE_ID_VERSION = 9,
	TRACE_ID_PROCMAPS = 10,
	TRACE_ID_TRACEID = 11,
	TRACE_ID_TIME_SHIFT = 12,
	TRACE_ID_GUEST = 13,
	TRACE_ID_TSC2NSEC = 14,
	TRACE_ID_STRINGS = 15,
	TRACE_ID_HEADER_INFO = 16,
	TRACE_ID_FTRACE_EVENTS = 17,
	TRACE_ID_EVENT_FORMATS = 18,
	TRACE_ID_KALLSYMS = 19,
	TRACE_ID_PRINTK = 20,
	TRACE_ID_CMDLINES = 21,
	TRACE_ID_BUFFER_TEXT = 22,
	TRACE_ID_BTF_FILE = 23,
	TRACE_ID_LAST_BOOT_INFO = 24,
	TRACE_ID_MODULES_FILE = 25,
	/* fathom's extensions; other readers skip unknown IDs. */
	TRACE_ID_FATHOM_STATE = 0x4601, /* struct trace_state */
	TRACE_ID_FATHOM_INFO = 0x4602, /* text, one "key: value" per line */
	/* memory mappings of processes, see record/unwind/map-log.h */
	TRACE_ID_FATHOM_MAPS = 0x4610,
	TRACE_ID_FATHOM_FILE = 0x4611, /* a mapped file: u64 number, then its contents */
	TRACE_ID_FATHOM_FUNCTIONS = 0x4603, /* text; see symbols/probe/probed-functions.h */
};

#define TRACE_SECTION_IDS	 26
#define TRACE_SECTION_COMPRESSED 1

/* Limits on the memory that a file can make a reader use; far beyond any real file. */
#define TRACE_BUFFERS_MAX     10000
#define TRACE_CPUS_MAX	      65536 /* per buffer */
#define TRACE_STREAMS_MAX     (1U << 21) /* CPUs of all buffers together */
#define TRACE_OPTIONS_MAX     (1U << 20)
#define TRACE_FORMATS_MAX     (1U << 20)
#define TRACE_SECTIONS_MAX    (1U << 17)
#define TRACE_OPTION_COPY_MAX ((size_t)1 << 20) /* longer options are not kept in memory */
#define TRACE_OPTIONS_MEM_MAX ((size_t)16 << 20) /* all options together */

struct trace_section {
	uint64_t offset; /* of its header; of its body in version 6, which has no headers */
	uint64_t body; /* offset of the first byte after the header */
	uint64_t size; /* bytes of the body in the file, truncated at the end of the file */
	const char *description; /* "" if none */
	uint32_t description_id;
	uint16_t id;
	uint16_t flags;
};

struct trace_option {
	uint64_t offset; /* of the data in the file; of the section if that is compressed */
	const uint8_t *data; /* NULL if it is too long to be kept */
	uint32_t size;
	uint16_t id;
};

/* The data of one CPU in one buffer. */
struct trace_cpu {
	uint64_t offset;
	uint64_t size; /* bytes in the file, truncated at its end */
	uint32_t cpu;
};

struct trace_buffer {
	const char *name; /* "": the top-level buffer */
	const char *clock; /* "" if unknown */
	uint64_t offset; /* of its section or table */
	uint32_t description_id; /* of its section */
	struct page_layout layout;
	struct time_convert time;
	struct trace_cpu *cpus; /* sorted by number; CPUs without data are left out */
	uint32_t n_cpus;
	bool compressed;
	bool is_text; /* text, as of the file `trace`, of @text_size bytes at @offset */
	uint64_t text_size;
};

/*
 * The progress of the recorder of this file; files of other programs are finished. During a
 * recording, the data of each CPU starts a region of its own, most of which is a hole, and the
 * table of CPUs can lag behind the data. Afterwards, the holes are removed one by one.
 */
enum trace_stage {
	TRACE_FINISHED,
	TRACE_RECORDING,
	TRACE_PACKING,
};

#define TRACE_STATE_SIZE 40 /* bytes of the option: stage, 0, and the four numbers */

struct trace_state {
	enum trace_stage stage;
	uint64_t region; /* maximum size of the data of a CPU, in bytes */
	/* The hole being removed. Once it is removed, the file is shorter by @hole_size. */
	uint64_t hole, hole_size, size_before;
};

struct trace_guest {
	const char *name;
	uint64_t trace_id;
	uint32_t n_cpus;
	int32_t *pids; /* host PID of each virtual CPU */
};

struct trace_file {
	/* owns everything that the structs point to, except for the arrays below */
	struct arena arena;
	struct damage damage;
	struct view view;

	unsigned version;
	bool big_endian;
	uint32_t user_long_size;
	uint32_t page_size; /* as in the file's header, in bytes */
	const char *compression_name;
	const char *compression_version;
	enum compression compression;

	struct page_layout layout; /* from header_page */
	uint32_t n_cpus; /* CPUs of the machine */
	const char *clock;
	const char *uname;
	const char *tracer_version;
	uint64_t trace_id;
	int64_t date_offset; /* nanoseconds, option DATE */
	int64_t ts_offset; /* nanoseconds, option OFFSET */
	uint32_t tsc_mult, tsc_shift;
	uint64_t tsc_offset;
	struct time_shift *shift; /* NULL: none */
	struct trace_state state;
	/* offset of a BUFFER section that is cut off by the end of the file; 0: none */
	uint64_t cut_buffer;
	bool has_clock_table; /* version 6: the clock follows each CPU table */
	size_t parsing_buffer; /* version 6: the buffer whose options are being parsed */
	/* offset of each section according to the options; 0: unknown */
	uint64_t section_at[TRACE_SECTION_IDS];

	struct trace_section *sections;
	size_t n_sections, cap_sections;
	struct trace_option *options;
	size_t n_options, cap_options;
	size_t options_mem;
	struct trace_buffer *buffers;
	size_t n_buffers, cap_buffers;
	size_t n_streams;
	struct trace_guest *guests;
	size_t n_guests, cap_guests;
};

enum trace_parse_flags {
	TRACE_PARSE_RAW_TIME = 1, /* don't convert timestamps */
	TRACE_PARSE_NO_DATE = 2, /* don't add the option DATE */
};

/*
 * Parses the file shown by @view, of which the source must outlive @file. Returns 0 or a negative
 * errno; a damaged file is not an error if it begins like a trace file. After a failure, there is
 * nothing to release.
 */
int trace_file_init(struct trace_file *file, const struct view *view, unsigned flags,
		    struct fathom_err *err);
void trace_file_done(struct trace_file *file);

/* Returns the section with @id, preferring the one that the options refer to, or NULL. */
const struct trace_section *trace_file_section(const struct trace_file *file, unsigned id);
/* Returns a static string such as "KALLSYMS", or "unknown". */
const char *trace_id_name(unsigned id);
/* Stores the decompressed size of the section. Returns 0 or a negative errno. */
int trace_section_length(const struct trace_file *file, const struct trace_section *section,
			 size_t *ret_size, struct fathom_err *err);
/*
 * Reads and decompresses the section into @buf; @size must be that of trace_section_length().
 * Returns 0 or a negative errno. Thread-safe if the view is.
 */
int trace_section_read(const struct trace_file *file, const struct trace_section *section,
		       void *buf, size_t size, struct fathom_err *err);

#endif
