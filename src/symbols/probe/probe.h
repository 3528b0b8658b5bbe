/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Probes in the user's syntax, "k:vfs_open(path->dentry->d_name.name:string, file->f_flags)", and
 * in that of the kernel, "p:GROUP/NAME vfs_open name=+0(+40(+8(%di))):string ...". The grammar is
 * in fathom-probes(7).
 *
 * All kernels are handled in the same way: offsets are computed here, from BTF, and the kernel gets
 * the syntax of 5.10, even if it could use BTF itself. Therefore, probes work in the same way on
 * all kernels, and --dry-run shows everything.
 *
 * A probe is immutable and lives in the arena given to probe_parse(), as do all strings that these
 * functions return. Not thread-safe, because types are read on demand. Functions that return int
 * return 0, -EINVAL with a message that points into the probe's text, or -ENOMEM.
 */
#ifndef FATHOM_SYMBOLS_PROBE_PROBE_H
#define FATHOM_SYMBOLS_PROBE_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "symbols/btf/types.h"

/* The kernel's limit, with the NUL. */
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

/* A parsed probe; see probe-parts.h. */
struct probe;

struct variable_place;

/* The place of a user probe or of a kernel source line; zero for other kernel probes. */
struct probe_site {
	const char *path;
	const char *function; /* for the name of the event */
	const char *symbol; /* kernel: the symbol that @offset is relative to; otherwise NULL */
	uint64_t offset; /* in the file */
	uint64_t counter; /* see symbols/probe/usdt.h */
	const char *arguments; /* of a marker, as in its note */
	uint16_t machine; /* of the program: EM_... */
	bool is_64;
	/* The variables visible there, as the parameters of a function @scope in its types. */
	const char *scope; /* NULL: unknown */
	const struct variable_place *variables;
};

/* The open file of a user probe, so that the file read is the file probed. */
struct probe_program {
	const char *path;
	const char *probe_path; /* the path to give to the kernel, see probe-path.h */
	int fd;
};

/* Where to search for places. */
struct probe_where {
	const char *root; /* prefix of paths; "" except in tests */
	const char *vmlinux; /* with debug information; NULL: search the usual places */
	bool is_elsewhere; /* need not belong to the running kernel */
	bool is_shown; /* the result is only shown, so use readable paths */
	const struct probe_program *program; /* NULL: search for it */
};

/* All places of a probe. The lists are in @arena; released by probe_sites_done(). */
struct probe_sites {
	struct probe_site *list;
	size_t n;
	size_t matched; /* number of places, including those that cannot be probed */
	const char *why_not; /* why a place was skipped, or NULL */
	uint32_t line; /* the next line with code, if the requested one has none */
	/* one of them is an instruction for which newer kernels have a faster mechanism */
	bool has_nop5;
	struct types *types; /* of the program; NULL: kernel probe */
	bool has_debug_information;
	struct arena arena;
};

/* The target for which probes are lowered. */
struct probe_machine {
	enum type_abi abi;
	struct types *types; /* NULL: no type information */
	const struct probe_site *site; /* of a user probe */
	bool has_debug_information; /* of the program; C's own types are always available */
};

/* Returns whether @text begins like a probe, rather than like the name of an event. */
bool probe_is_one(const char *text);
/* Parses @text, which must outlive the probe. */
int probe_parse(const char *text, struct arena *arena, const struct probe **ret_probe,
		struct fathom_err *err);
enum probe_kind probe_kind(const struct probe *probe);
/* Returns the user's text. */
const char *probe_text(const struct probe *probe);
/* Returns the function or tracepoint, without its module. */
const char *probe_function(const struct probe *probe);
/* Returns the module, or NULL if none is given. */
const char *probe_module(const struct probe *probe);
/*
 * Returns whether it applies to many kernel functions, such as "kr:vfs_*". Such a probe is not
 * lowered.
 */
bool probe_is_glob(const struct probe *probe);
/* Returns the offset of the function's name, without its module, in the text. */
size_t probe_function_at(const struct probe *probe);
/*
 * Returns a copy of @probe at the offset @from_text from the symbol _text (0: unchanged), for
 * ambiguous function names, with a limit of concurrent calls for return probes (0: the kernel's
 * default). NULL if memory is exhausted.
 */
const struct probe *probe_placed(const struct probe *probe, struct arena *arena, uint64_t from_text,
				 unsigned maxactive);
/* Returns whether the user named the event. */
bool probe_is_named(const struct probe *probe);
/* Returns the event's name: that given by the user, or one derived from the function. */
void probe_event_name(const struct probe *probe, char name[PROBE_NAME_SIZE]);
/* As probe_event_name(), for the @n-th event of that name, from 2 on. */
void probe_event_name_nth(const struct probe *probe, unsigned n, char name[PROBE_NAME_SIZE]);
/* Returns whether the probe is in a program rather than the kernel. */
bool probe_in_program(const struct probe *probe);
/* Returns whether the probe is at a source line rather than a function. */
bool probe_at_line(const struct probe *probe);
/*
 * Opens the program of a user probe without parsing it. Paths are in @arena; the caller closes the
 * descriptor.
 */
int probe_program_open(const struct probe_where *where, const struct probe *probe,
		       struct arena *arena, struct probe_program *ret_program,
		       struct fathom_err *err);
/*
 * Finds the places of @probe, which may read programs. A kernel function is one place. After 0, the
 * caller releases *@ret_sites.
 */
int probe_sites_find(const struct probe_where *where, const struct probe *probe,
		     struct probe_sites *ret_sites, struct fathom_err *err);
void probe_sites_done(struct probe_sites *sites);
#define _cleanup_probe_sites_ __attribute__((cleanup(probe_sites_done)))
/* Returns the target for place @i; @kernel is that for kernel probes. */
struct probe_machine probe_sites_machine(const struct probe_sites *sites, size_t i,
					 const struct probe_machine *kernel);
/* As probe_event_name() for one of its places; if @n exceeds 1, for the n-th event of that name. */
void probe_site_event_name(const struct probe *probe, const struct probe_site *site, unsigned n,
			   char name[PROBE_NAME_SIZE]);
/*
 * Returns whether one event can have both probes, that is, whether values and types are equal;
 * places may differ.
 */
bool probe_lines_are_alike(const char *a, const char *b);
/*
 * Appends a line for the file dynamic_events to @line. Appends the enumerators of its values to
 * @enums, which may be NULL: lines "GROUP:EVENT FIELD NUMBER NAME".
 */
int probe_lower(const struct probe *probe, const struct probe_machine *machine, const char *group,
		const char *event, struct strbuf *line, struct strbuf *enums,
		struct fathom_err *err);

#endif
