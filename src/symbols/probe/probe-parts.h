/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of the probe language tell each other. */
#ifndef FATHOM_SYMBOLS_PROBE_PROBE_PARTS_H
#define FATHOM_SYMBOLS_PROBE_PROBE_PARTS_H

#include "symbols/probe/probe.h"

/* Bytes that a load inside of another takes. */
#define PROBE_WORD 8

enum node_op {
	NODE_NAME, /* a parameter, "ret" */
	NODE_ARG, /* $argN */
	NODE_REGISTER, /* %di */
	NODE_SPECIAL, /* $stack, $stackN, $comm */
	NODE_NUMBER,
	NODE_ARROW, /* inner->name */
	NODE_DOT, /* inner.name */
	NODE_INDEX, /* inner[number] */
	NODE_DEREF, /* *inner */
	NODE_ADDRESS, /* &inner */
	NODE_CAST, /* (name stars)inner */
};

struct probe_node {
	enum node_op op;
	size_t at; /* where in the text, of the name where there is one */
	const char *name; /* of NODE_CAST: of the type, with single spaces */
	int64_t number;
	bool is_hex; /* of NODE_NUMBER: it was written so */
	unsigned stars; /* of NODE_CAST */
	bool is_user; /* of NODE_CAST: it points to a program's memory */
	const struct probe_node *inner;
};

struct probe_arg {
	const char *label; /* NULL: the last member's name */
	size_t label_at;
	const struct probe_node *node;
	const char *format; /* NULL: as the type says */
	size_t format_at;
	struct probe_arg *next;
};

struct probe {
	const char *text;
	enum probe_kind kind;
	const char *event; /* NULL: made from the function's name */
	const char *module; /* NULL */
	const char *function;
	size_t function_at;
	uint64_t offset;
	uint64_t from_text; /* where it is, from the kernel's first byte; 0: @function tells */
	unsigned maxactive; /* of returns: how many can be waited for; 0: as the kernel has it */
	const struct probe_arg *args;
	bool has_values; /* there were brackets, maybe with nothing in them */
	/* Of probes in programs. */
	const char *file; /* as the user calls it; NULL: the program of @pid */
	size_t file_at;
	int pid; /* 0: none was said */
	size_t pid_at;
	const char *provider; /* of a marker; its name is @function */
	bool is_place; /* @offset is one in the file, and @function just a name for it */
	/* A line of source, of which @function is just a name; NULL: it is at none. */
	const char *source;
	uint32_t line;
};

static inline bool probe_is_return(const struct probe *probe)
{
	return probe->kind == PROBE_RETURN || probe->kind == PROBE_FPROBE_RETURN ||
	       probe->kind == PROBE_USER_RETURN;
}

static inline bool probe_is_user(const struct probe *probe)
{
	return probe->kind == PROBE_USER || probe->kind == PROBE_USER_RETURN ||
	       probe->kind == PROBE_MARKER;
}

/* The message, the text, and below it a caret at the byte @at. Returns -EINVAL. */
int probe_error(const char *text, size_t at, struct fathom_err *err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* For those who look at one file only; see base/err.h. */
#define probe_error(...)                        \
	({                                      \
		(void)probe_error(__VA_ARGS__); \
		-EINVAL;                        \
	})

/* What expressions are lowered with. */
struct probe_lowering {
	const struct probe *probe;
	const struct probe_machine *machine;
	const struct type_function *function; /* NULL: not known */
	const char *why; /* why it is not */
	/* Not NULL: the parameters of @function are the variables of a place, and these are theirs. */
	const struct variable_place *variables;
	bool is_clone; /* only what it returns is certain */
	struct strbuf *enums; /* see probe_lower() */
	const char *group, *event;
	unsigned hidden; /* parameters at the front that the user does not see */
	struct arena *arena;
	struct fathom_err *err;
};

/* A type with stars that BTF need not have. */
struct probe_shape {
	struct type type;
	unsigned stars;
};

struct probe_value {
	const char *base; /* a fetch-arg for a value */
	int64_t offset; /* to be added to it */
	bool in_memory; /* the value is at that address; else it is that address, or @base */
	bool is_fixed; /* there is no @base: @offset is from where the kernel begins */
	bool is_user; /* the memory that it is in, or points to, is a program's */
	bool is_number, is_hex, is_text;
	struct probe_shape shape;
	/* A type that is not known was followed: how wide the value is, or where, is not certain. */
	enum {
		DOUBT_NONE,
		DOUBT_WIDTH,
		DOUBT_PLACE
	} doubt;
	uint32_t bit, width; /* of a bitfield: where, from @offset on; width 0: it is none */
	const struct probe_node *node;
};

struct probe_look {
	struct type_info info;
	struct probe_shape target; /* of pointers and arrays */
};

/* Puts a message with the place of a mistake; see probe_error(). */
#define complain(lowering, at, ...) \
	probe_error((lowering)->probe->text, at, (lowering)->err, __VA_ARGS__)

/* probe-parse-user.c */
/*
 * Parses what is behind "u:", "ur:" or "usdt:", at @p of @text, up to its values, which *@ret_end
 * is at.
 */
int probe_parse_user_place(const char *text, const char *p, struct arena *arena,
			   struct probe *probe, const char **ret_end, struct fathom_err *err);

/* The colon of "SOURCE:LINE", which is all from @start to @end; NULL: it is something else. */
const char *probe_source_end(const char *start, const char *end);
int probe_parse_line(const char *text, const char *start, const char *end, struct arena *arena,
		     struct probe *probe, struct fathom_err *err);

/* probe-finder.c */
/* What the places of a probe are looked for in. */
struct probe_finder {
	const struct probe *probe;
	struct user_program *program; /* or the kernel, with its debug information */
	const char *path;
	const char *probe_path; /* the same for the kernel, see probe-path.h; NULL: @path */
	struct probe_sites *sites;
	struct fathom_err *err;
};
#define probe_finder_fail(finder, at, ...) \
	probe_error((finder)->probe->text, at, (finder)->err, __VA_ARGS__)
/* Opens the program of a probe that is in one; for the kernel see probe_open_kernel(). */
int probe_finder_open(struct probe_finder *finder, const struct probe_where *where);
/* Closes either. */
void probe_finder_done(struct probe_finder *finder);
struct probe_site probe_new_site(const struct probe_finder *finder, const char *function,
				 uint64_t offset);
void probe_add_site(const struct probe_finder *finder, const struct probe_site *site);
/* For @n places; before the first is added. */
int probe_make_room(const struct probe_finder *finder, size_t n);

/* probe-lines.c */
/* The code of a line. */
int probe_find_lines(const struct probe_finder *finder);
/* The file of the kernel that has debug information. */
int probe_open_kernel(struct probe_finder *finder, const struct probe_where *where);

/* probe-marker.c */
/* The @n-th argument, from 1 on, of the marker that is probed. */
int probe_marker_value(const struct probe_lowering *lowering, const struct probe_node *node,
		       int64_t n, struct probe_value *ret_value);
/* Values for all arguments of a marker that the kernel can get. */
int probe_marker_args(const struct probe_lowering *lowering, const struct probe_arg **ret_args);

/* probe-lower.c */
struct probe_look probe_look_at(struct probe_shape shape);
/* "struct file *", for messages. */
const char *probe_shape_text(const struct probe_lowering *lowering, struct probe_shape shape);
/* A load of what is at the address of @v and @offset; NULL without memory. */
char *probe_load_text(const struct probe_lowering *lowering, const struct probe_value *v,
		      int64_t offset);
/* Makes @v a value that is not in memory. */
int probe_load(const struct probe_lowering *lowering, struct probe_value *v);
int probe_evaluate(const struct probe_lowering *lowering, const struct probe_node *node,
		   struct probe_value *ret_value);

/* probe-format.c */
/*
 * The fetch-arg of @arg, with its type, behind "NAME="; and the enum that it is a number of, or no type.
 */
int probe_lower_arg(const struct probe_lowering *lowering, const struct probe_arg *arg,
		    const char **ret_fetch, struct type *ret_enum);

#endif
