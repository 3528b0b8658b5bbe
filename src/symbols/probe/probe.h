/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Probes as users write them, "k:vfs_open(path->dentry->d_name.name:string, file->f_flags)",
 * and as the kernel takes them, "p:GROUP/NAME vfs_open name=+0(+40(+8(%di))):string ...". The
 * grammar is in fathom-probes(7).
 *
 * There is one way down for all kernels: offsets are computed here, from BTF, and what the
 * kernel gets is the grammar of 5.10, also where it could look into BTF itself. So what
 * works on one kernel works on all, and --dry-run shows all there is to see.
 */
#ifndef FATHOM_SYMBOLS_PROBE_PROBE_H
#define FATHOM_SYMBOLS_PROBE_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "symbols/btf/types.h"

/* The kernel has 64 with the NUL. */
#define PROBE_NAME_SIZE 64

enum probe_kind {
	PROBE_ENTRY, /* k: */
	PROBE_RETURN, /* kr: */
	PROBE_FPROBE, /* f: */
	PROBE_FPROBE_RETURN, /* fr: */
	PROBE_TRACEPOINT, /* t: */
	PROBE_USER, /* u: */
	PROBE_USER_RETURN, /* ur: */
	PROBE_MARKER, /* usdt: */
};

/* A probe after parsing; see probe-parts.h. */
struct probe;

struct variable_place;

/* Where a probe goes in a program, or of a line of the kernel; of others in the kernel all is 0. */
struct probe_site {
	const char *path;
	const char *function; /* for the name of the event */
	const char *symbol; /* in the kernel: what @offset counts from; else NULL */
	uint64_t offset; /* in the file */
	uint64_t counter; /* see symbols/probe/usdt.h */
	const char *arguments; /* of a marker, as its note has them */
	uint16_t machine; /* of the program: EM_... */
	bool is_64;
	/* The variables that are seen there, which are the parameters of a function @scope of its types. */
	const char *scope; /* NULL: not known */
	const struct variable_place *variables;
};

/* The file of a probe in a program, open: what is parsed is what is probed. */
struct probe_program {
	const char *path;
	const char *probe_path; /* the same for the kernel, see probe-path.h */
	int fd;
};

/* Where places are looked for. */
struct probe_where {
	const char *root; /* "" but in tests */
	const char *vmlinux; /* of the kernel, with debug information; NULL: where such files are */
	bool is_elsewhere; /* it need not be of the kernel that runs */
	bool is_shown; /* what is made of it is for people: files have their names */
	const struct probe_program *program; /* NULL: it is looked for */
};

/* All places that a probe means. */
struct probe_sites {
	struct probe_site *list;
	size_t n;
	size_t matched; /* how many there are with those that cannot be probed */
	const char *why_not; /* why one of these is left out, or NULL */
	uint32_t line; /* the next one with code, where there is none at the line that was wanted */
	bool has_nop5; /* one of them is an instruction that newer kernels have a faster way for */
	struct types *types; /* of the program; NULL for the kernel */
	bool has_debug_information;
	struct arena arena;
};

/* What probes are lowered for. */
struct probe_machine {
	enum type_abi abi;
	struct types *types; /* NULL: there is no type information */
	const struct probe_site *site; /* of a probe in a program */
	bool has_debug_information; /* the program; all have the types of C */
};

/* Does @text begin as a probe does, and not as the name of an event? */
bool probe_is_one(const char *text);
/*
 * Parses @text, which has to stay. 0, -EINVAL with a message that points into the text, or
 * -ENOMEM.
 */
int probe_parse(const char *text, struct arena *arena, const struct probe **ret_probe,
		struct fathom_err *err);
enum probe_kind probe_kind(const struct probe *probe);
/* What the user wrote. */
const char *probe_text(const struct probe *probe);
/* The function or tracepoint, without its module. */
const char *probe_function(const struct probe *probe);
/* NULL: it was not said. */
const char *probe_module(const struct probe *probe);
/* Does it stand for many functions of the kernel, as "kr:vfs_*"? Such a probe is not lowered. */
bool probe_is_glob(const struct probe *probe);
/* Where in the text the name of the function is, without its module. */
size_t probe_function_at(const struct probe *probe);
/*
 * @probe at a place @from_text bytes behind the symbol _text (0: where it is), for where a name does
 * not say which function is meant, and of which so many returns can be waited for at once (0: as the
 * kernel has it). NULL without memory.
 */
const struct probe *probe_placed(const struct probe *probe, struct arena *arena, uint64_t from_text,
				 unsigned maxactive);
/* Did the user give its event a name? */
bool probe_is_named(const struct probe *probe);
/* Its event's name: what the user says, or one made from the function's. */
void probe_event_name(const struct probe *probe, char name[PROBE_NAME_SIZE]);
/* As probe_event_name(), for the @n-th (from 2 on) of that name. */
void probe_event_name_nth(const struct probe *probe, unsigned n, char name[PROBE_NAME_SIZE]);
/* Is it in a program, not in the kernel? */
bool probe_in_program(const struct probe *probe);
/* Is it at a line of source, not at a function? */
bool probe_at_line(const struct probe *probe);
/*
 * Opens the program of a probe that is in one, and parses nothing of it; what is returned is in @arena, but for the
 * descriptor, which is to be closed. 0, -EINVAL as probe_parse(), -ENOMEM.
 */
int probe_program_open(const struct probe_where *where, const struct probe *probe,
		       struct arena *arena, struct probe_program *ret_program,
		       struct fathom_err *err);
/*
 * Finds the places of @probe: programs are read for it. A function of the kernel is one place. 0,
 * -EINVAL as probe_parse(), -ENOMEM.
 */
int probe_sites_find(const struct probe_where *where, const struct probe *probe,
		     struct probe_sites *ret_sites, struct fathom_err *err);
void probe_sites_done(struct probe_sites *sites);
#define _cleanup_probe_sites_ __attribute__((cleanup(probe_sites_done)))
/* For the place number @i; @kernel is for probes in the kernel. */
struct probe_machine probe_sites_machine(const struct probe_sites *sites, size_t i,
					 const struct probe_machine *kernel);
/* As probe_event_name() for one of its places; with @n above 1, for the n-th of that name. */
void probe_site_event_name(const struct probe *probe, const struct probe_site *site, unsigned n,
			   char name[PROBE_NAME_SIZE]);
/*
 * Can one event have the probes of both lines? Then they have the same values, with the same types; where
 * they are may differ.
 */
bool probe_lines_are_alike(const char *a, const char *b);
/*
 * Adds a line for the file dynamic_events to @line, and to @enums, which may be NULL, the names of the numbers
 * of its values that are enums, a line "GROUP:EVENT FIELD NUMBER NAME" each. 0, -EINVAL as probe_parse(), -ENOMEM.
 */
int probe_lower(const struct probe *probe, const struct probe_machine *machine, const char *group,
		const char *event, struct strbuf *line, struct strbuf *enums,
		struct fathom_err *err);

#endif
