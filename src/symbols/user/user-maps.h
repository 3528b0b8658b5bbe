/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The files that were mapped in the memory of processes, by time. Built from the texts of
 * /proc/PID/maps, the options PROCMAPS and FATHOM_MAPS of trace files, and events (exec, fork,
 * mmap). Changes of a process are sorted by time; those without a time come last. Texts are
 * untrusted; invalid lines are skipped.
 *
 * Not thread-safe. Mappings and paths are valid until user_maps_done(). Times are in nanoseconds of
 * the trace's clock.
 */
#ifndef FATHOM_SYMBOLS_USER_USER_MAPS_H
#define FATHOM_SYMBOLS_USER_USER_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/u64-map.h"
#include "symbols/elf/elf-file.h"

/*
 * The offset of a mapping that the recorder did not store: segments are at the addresses given in
 * the file.
 */
#define USER_OFFSET_UNKNOWN UINT64_MAX
/* The time of mappings read at the end of the recording. */
#define USER_TIME_END UINT64_MAX

/* Distinguishes a file from others of the same name. 0: unknown. */
struct user_origin {
	uint64_t size, mtime; /* size in bytes, modification time in nanoseconds */
	uint32_t copy; /* the number of its copy in the trace; 0: none */
	uint8_t build_id[ELF_BUILD_ID_MAX];
	uint8_t build_id_len;
	const char *path;
	bool deleted; /* as in struct user_mapping */
};

struct user_mapping {
	uint64_t start, end;
	uint64_t offset; /* of @start in the file */
	const char *path; /* "": anonymous; "[vdso]", "[heap]"; never NULL */
	bool deleted; /* the file was unlinked */
	bool executable;
	uint64_t since; /* when it was mapped; 0: unknown */
	const struct user_origin *origin; /* NULL: unknown */
};

struct user_process;

/* Zero-initialized: empty. Functions that add something return 0 or -ENOMEM. */
struct user_maps {
	struct u64_map pids;
	struct user_process *processes;
	size_t n, cap;
	struct arena arena; /* owns paths and mappings */
	struct u64_map origin_numbers; /* of a log */
	struct user_origin_place {
		const struct user_origin *origin;
	} * origins;
	size_t n_origins, cap_origins;
	uint64_t lost; /* number of records that the kernel dropped */
};

void user_maps_done(struct user_maps *maps);

/* Adds all mappings of a process at @time, as of /proc/PID/maps. */
int user_maps_add_text(struct user_maps *maps, int32_t pid, uint64_t time, const char *text,
		       size_t len);
/* The same for an option PROCMAPS, which contains the PID. */
int user_maps_add_option(struct user_maps *maps, uint64_t time, const char *text, size_t len);
/* Adds a single mapping. */
int user_maps_add_mapping(struct user_maps *maps, int32_t pid, uint64_t time,
			  const struct user_mapping *mapping);
/* The process calls execve() at @time and loses its mappings. */
int user_maps_add_exec(struct user_maps *maps, int32_t pid, uint64_t time);
/* @child, a process or a thread, shares the memory of @parent or gets a copy of it. */
int user_maps_add_fork(struct user_maps *maps, int32_t parent, int32_t child, uint64_t time);

/* @thread belongs to the process @pid and shares its memory. */
int user_maps_add_thread(struct user_maps *maps, int32_t pid, int32_t thread, uint64_t time);
/*
 * Adds the text of an option FATHOM_MAPS, described in record/unwind/map-log.h. @shift is added to
 * its times, except for 0. Must be called for all of these options of a trace, in order, followed
 * by user_maps_seal().
 */
int user_maps_add_log(struct user_maps *maps, uint64_t shift, const char *text, size_t len);
/* Must be called when nothing more is added: sorts long sequences of single mappings. */
int user_maps_seal(struct user_maps *maps);
/*
 * Adds all mappings at @time; *@mappings, in the arena, are sorted by their start. For
 * user_maps_add_log().
 */
int user_maps_add_all(struct user_maps *maps, int32_t pid, uint64_t time,
		      struct user_mapping *mappings, size_t n);
/*
 * Copies a path to the arena, without the suffix that the kernel adds for deleted files, for which
 * it sets *@ret_deleted.
 */
const char *user_maps_path(struct user_maps *maps, const char *s, size_t len, bool *ret_deleted);

/*
 * Returns the mapping that contained @address at @time. If nothing was recorded until then, uses
 * later information, as long as the process executed the same program. Returns NULL if there is
 * none; *@ret_known is false if the process is not known at all.
 */
const struct user_mapping *user_maps_find(const struct user_maps *maps, int32_t pid, uint64_t time,
					  uint64_t address, bool *ret_known);

#endif
