/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The structure of a trace.dat file, versions 6 and 7: which sections, options,
 * buffers and CPUs there are and where their bytes lie. Nothing large is read: the
 * event formats, symbols and CPU data stay where they are until somebody asks.
 *
 * A file that is cut off or damaged is described as far as it is sound; what is
 * wrong stands in @damage. Whatever a struct here says lies within the file.
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

/* What each file begins with. */
#define TRACE_FILE_MAGIC "\x17\x08\x44tracing"

/* Ids of options; most of them are also ids of the section that the option points at. */
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
	/* Our own; other readers skip what they do not know. */
	TRACE_ID_FATHOM_STATE = 0x4601, /* struct trace_state */
	TRACE_ID_FATHOM_INFO = 0x4602, /* text, a line "key: value" each */
	TRACE_ID_FATHOM_MAPS = 0x4610, /* memory of processes, see record/unwind/map-log.h */
	TRACE_ID_FATHOM_FILE = 0x4611, /* a file that was mapped: u64 number, then its bytes */
	TRACE_ID_FATHOM_FUNCTIONS = 0x4603, /* text; see symbols/probe/probed-functions.h */
};

#define TRACE_SECTION_IDS	 26
#define TRACE_SECTION_COMPRESSED 1

/* Bounds on what a file can make us keep; far above anything real. */
#define TRACE_BUFFERS_MAX     10000
#define TRACE_CPUS_MAX	      65536 /* per buffer */
#define TRACE_STREAMS_MAX     (1U << 21) /* CPUs of all buffers */
#define TRACE_OPTIONS_MAX     (1U << 20)
#define TRACE_FORMATS_MAX     (1U << 20)
#define TRACE_SECTIONS_MAX    (1U << 17)
#define TRACE_OPTION_COPY_MAX ((size_t)1 << 20) /* a longer option is not kept in memory */
#define TRACE_OPTIONS_MEM_MAX ((size_t)16 << 20) /* all that are kept */

struct trace_section {
	uint64_t offset; /* of its header; in version 6, which has none, that of the body */
	uint64_t body; /* offset of the first byte behind the header */
	uint64_t size; /* of the body as it is in the file, cut at the file's end */
	const char *description; /* "" when there is none */
	uint32_t description_id;
	uint16_t id;
	uint16_t flags;
};

struct trace_option {
	uint64_t offset; /* of the data in the file; of the section when that is compressed */
	const uint8_t *data; /* NULL when it is too long to be kept */
	uint32_t size;
	uint16_t id;
};

/* One CPU's data in one buffer. */
struct trace_cpu {
	uint64_t offset;
	uint64_t size; /* bytes in the file, cut at its end */
	uint32_t cpu;
};

struct trace_buffer {
	const char *name; /* "" is the top one */
	const char *clock; /* "" when unknown */
	uint64_t offset; /* of its section or table */
	uint32_t description_id; /* of its section */
	struct page_layout layout;
	struct time_convert time;
	struct trace_cpu *cpus; /* by number; those without data are left out */
	uint32_t n_cpus;
	bool compressed;
	bool is_text; /* text of the file `trace`; @offset and @text_size say where */
	uint64_t text_size;
};

/*
 * How far the recorder of this file has come; files of others are finished. While it
 * records, each CPU's data lie at the start of a region of their own, most of which is a
 * hole, and the table of CPUs may lag behind. Then the holes are taken out one by one.
 */
enum trace_stage {
	TRACE_FINISHED,
	TRACE_RECORDING,
	TRACE_PACKING,
};

#define TRACE_STATE_SIZE 40 /* bytes of the option: stage, 0, and the four numbers */

struct trace_state {
	enum trace_stage stage;
	uint64_t region; /* bytes that the data of a CPU can grow to */
	/* The hole that is being taken out: done when the file has become shorter by it. */
	uint64_t hole, hole_size, size_before;
};

struct trace_guest {
	const char *name;
	uint64_t trace_id;
	uint32_t n_cpus;
	int32_t *pids; /* host pid that runs the virtual CPU */
};

struct trace_file {
	struct arena arena; /* owns all that is pointed at from here */
	struct damage damage;
	struct view view;

	unsigned version;
	bool big_endian;
	uint32_t user_long_size;
	uint32_t page_size; /* as the file's header has it */
	const char *compression_name;
	const char *compression_version;
	enum compression compression;

	struct page_layout layout; /* out of header_page */
	uint32_t n_cpus; /* of the machine */
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
	uint64_t cut_buffer; /* offset of a BUFFER section that the file's end cuts off; 0 none */
	bool has_clock_table; /* version 6: the clock follows each CPU table */
	size_t parsing_buffer; /* version 6: whose options are being read */
	uint64_t section_at[TRACE_SECTION_IDS]; /* where the options say the section is; 0 unknown */

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
	TRACE_PARSE_RAW_TIME = 1, /* convert no times */
	TRACE_PARSE_NO_DATE = 2, /* do not add the option DATE */
};

/*
 * Parses what @view shows, which must outlive @file. 0 also for a damaged file as long as it
 * begins as a trace file. After a failure nothing is left to release.
 */
int trace_file_init(struct trace_file *file, const struct view *view, unsigned flags,
		    struct fathom_err *err);
void trace_file_done(struct trace_file *file);

/* The section with @id (the one that the options name), NULL when there is none. */
const struct trace_section *trace_file_section(const struct trace_file *file, unsigned id);
/* "KALLSYMS" and so on; "unknown". */
const char *trace_id_name(unsigned id);
/* How long the section is once it is decompressed. Negative errno with a message. */
int trace_section_length(const struct trace_file *file, const struct trace_section *section,
			 size_t *ret_size, struct fathom_err *err);
/* Fills @buf with all trace_section_length() bytes. */
int trace_section_read(const struct trace_file *file, const struct trace_section *section,
		       void *buf, size_t size, struct fathom_err *err);

#endif
