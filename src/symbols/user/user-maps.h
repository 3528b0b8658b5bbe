/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which file lay where in the memory of a process, and when. Fed with texts of /proc/PID/maps, with the
 * options PROCMAPS and FATHOM_MAPS of trace files, and with what events tell: a program was started, a process was forked, a
 * file was mapped. What is added to a process is put in the order of time, and what has no time behind the rest.
 * The texts may come from anybody, lines that cannot be read are passed over.
 */
#ifndef FATHOM_SYMBOLS_USER_USER_MAPS_H
#define FATHOM_SYMBOLS_USER_USER_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/u64-map.h"
#include "symbols/elf/elf-file.h"

/* The offset of mappings whose recorder did not keep it: parts of a file lie as it says itself. */
#define USER_OFFSET_UNKNOWN UINT64_MAX
/* The time of what was read when the recording ended. */
#define USER_TIME_END UINT64_MAX

/* What tells a file from others of its name. Zeroes are unknown. */
struct user_origin {
	uint64_t size, mtime; /* in nanoseconds */
	uint32_t copy; /* the number of its copy in the trace; 0: none */
	uint8_t build_id[ELF_BUILD_ID_MAX];
	uint8_t build_id_len;
	const char *path;
	bool deleted; /* as in struct user_mapping */
};

struct user_mapping {
	uint64_t start, end;
	uint64_t offset; /* in the file, of @start */
	const char *path; /* "": anonymous; "[vdso]", "[heap]"; never NULL */
	bool deleted; /* the file had no name any more */
	bool executable;
	uint64_t since; /* when it was mapped; 0: unknown */
	const struct user_origin *origin; /* NULL: unknown */
};

struct user_process;

/* Zero-initialised is empty. */
struct user_maps {
	struct u64_map pids;
	struct user_process *processes;
	size_t n, cap;
	struct arena arena; /* paths and mappings */
	struct u64_map origin_numbers; /* of a log */
	struct user_origin_place {
		const struct user_origin *origin;
	} * origins;
	size_t n_origins, cap_origins;
	uint64_t lost; /* what the kernel could not tell the log */
};

void user_maps_done(struct user_maps *maps);

/* All mappings of the process at @time, as /proc/PID/maps shows them. 0 or -ENOMEM. */
int user_maps_add_text(struct user_maps *maps, int32_t pid, uint64_t time, const char *text,
		       size_t len);
/* The same for an option PROCMAPS, which says whose they are. */
int user_maps_add_option(struct user_maps *maps, uint64_t time, const char *text, size_t len);
/* One more mapping. */
int user_maps_add_mapping(struct user_maps *maps, int32_t pid, uint64_t time,
			  const struct user_mapping *mapping);
/* The process runs another program from now on; what was mapped is gone. */
int user_maps_add_exec(struct user_maps *maps, int32_t pid, uint64_t time);
/* @child, a process or a thread, has the memory of @parent, or a copy of it. */
int user_maps_add_fork(struct user_maps *maps, int32_t parent, int32_t child, uint64_t time);

/* @thread is one of the process @pid, and has its memory. */
int user_maps_add_thread(struct user_maps *maps, int32_t pid, int32_t thread, uint64_t time);
/*
 * The text of an option FATHOM_MAPS; record/unwind/map-log.h has its form. Its times are added to @shift, those
 * of 0 excepted. To be called for all of a trace in their order, then user_maps_seal(). 0 or -ENOMEM.
 */
int user_maps_add_log(struct user_maps *maps, uint64_t shift, const char *text, size_t len);
/* Nothing is added any more: long rows of single mappings are put in order. 0 or -ENOMEM. */
int user_maps_seal(struct user_maps *maps);
/* All mappings at @time; *@mappings, of the arena, become sorted by their start. For user_maps_add_log(). */
int user_maps_add_all(struct user_maps *maps, int32_t pid, uint64_t time,
		      struct user_mapping *mappings, size_t n);
/* Copies the path, without the words that the kernel adds to deleted files, which it sets @ret_deleted for. */
const char *user_maps_path(struct user_maps *maps, const char *s, size_t len, bool *ret_deleted);

/*
 * What @address was in at @time. When nothing was recorded until then, what was recorded later, while
 * the process ran the same program, is taken. NULL: nothing, and *@ret_known tells whether
 * anything is known about the process at all.
 */
const struct user_mapping *user_maps_find(const struct user_maps *maps, int32_t pid, uint64_t time,
					  uint64_t address, bool *ret_known);

#endif
