/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the files of the probe language. Syntax trees live in the arena given to probe_parse()
 * and refer to its text. Functions that return int return 0 or a negative errno, with the message
 * in the struct fathom_err of the caller or the lowering: -EINVAL with the place of the mistake in
 * the probe's text, or -ENOMEM.
 */
#ifndef FATHOM_SYMBOLS_PROBE_PROBE_PARTS_H
#define FATHOM_SYMBOLS_PROBE_PROBE_PARTS_H

#include "symbols/probe/probe.h"

/* Bytes read by a load inside another one. */
#define PROBE_WORD 8

enum node_op {
	NODE_NAME, /* a parameter, or "ret" */
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
	size_t at; /* offset in the text; of the name if it has one */
	const char *name; /* NODE_CAST: the type, words separated by single spaces */
	int64_t number;
	bool is_hex; /* NODE_NUMBER: written in hexadecimal */
	unsigned stars; /* NODE_CAST */
	bool is_user; /* NODE_CAST: a pointer to user memory */
	const struct probe_node *inner;
};

struct probe_arg {
	const char *label; /* NULL: the name of the last member */
	size_t label_at;
	const struct probe_node *node;
	const char *format; /* NULL: according to the type */
	size_t format_at;
	struct probe_arg *next;
};

struct probe {
	const char *text;
	enum probe_kind kind;
	const char *event; /* NULL: derived from the function's name */
	const char *module; /* NULL: not given */
	const char *function;
	size_t function_at;
	uint64_t offset;
	uint64_t from_text; /* offset from the symbol _text; 0: use @function */
	/* of return probes: number of concurrent calls; 0: the kernel's default */
	unsigned maxactive;
	const struct probe_arg *args;
	bool has_values; /* there were parentheses, possibly empty */
	/* Probes in programs only. */
	const char *file; /* as given by the user; NULL: the program of @pid */
	size_t file_at;
	int pid; /* 0: not given */
	size_t pid_at;
	const char *provider; /* of a marker; its name is @function */
	bool is_place; /* @offset is a file offset, and @function is merely a name for it */
	/* A source line, for which @function is merely a name; NULL: none. */
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

/*
 * Sets a message: the given one, followed by the text and a caret below the byte @at. Returns
 * -EINVAL.
 */
int probe_error(const char *text, size_t at, struct fathom_err *err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* For analyzers that see one file at a time; see base/err.h. */
#define probe_error(...)                        \
	({                                      \
		(void)probe_error(__VA_ARGS__); \
		-EINVAL;                        \
	})

/* Context in which expressions are lowered. */
struct probe_lowering {
	const struct probe *probe;
	const struct probe_machine *machine;
	const struct type_function *function; /* NULL: unknown */
	const char *why; /* why it is unknown */
	/*
	 * If not NULL, the parameters of @function are the variables of a place, at these
	 * locations.
	 */
	const struct variable_place *variables;
	/* a clone of the function made by the compiler: only its return type is certain */
	bool is_clone;
	struct strbuf *enums; /* see probe_lower() */
	const char *group, *event;
	unsigned hidden; /* leading parameters hidden from the user */
	struct arena *arena;
	struct fathom_err *err;
};

/* A type with stars, which need not exist in BTF. */
struct probe_shape {
	struct type type;
	unsigned stars;
};

struct probe_value {
	const char *base; /* a fetch-arg for a value */
	int64_t offset; /* to be added to it */
	bool in_memory; /* the value is at that address; otherwise, it is the address itself, or
			 * @base */
	bool is_fixed; /* no @base: @offset is relative to the start of the kernel */
	bool is_user; /* it is in, or points to, user memory */
	bool is_number, is_hex, is_text;
	struct probe_shape shape;
	/* An unknown type was followed: the width of the value, or its location, is uncertain. */
	enum {
		DOUBT_NONE,
		DOUBT_WIDTH,
		DOUBT_PLACE
	} doubt;
	uint32_t bit, width; /* of a bitfield, relative to @offset; width 0: not a bitfield */
	const struct probe_node *node;
};

struct probe_look {
	struct type_info info;
	struct probe_shape target; /* of pointers and arrays */
};

/* Reports a mistake with its place; see probe_error(). */
#define complain(lowering, at, ...) \
	probe_error((lowering)->probe->text, at, (lowering)->err, __VA_ARGS__)

/* probe-parse-user.c */
/*
 * Parses what follows "u:", "ur:" or "usdt:", at @p in @text, up to the values. *@ret_end is where
 * these begin.
 */
int probe_parse_user_place(const char *text, const char *p, struct arena *arena,
			   struct probe *probe, const char **ret_end, struct fathom_err *err);

/* Returns the colon in "SOURCE:LINE", if that is the whole text from @start to @end, or NULL. */
const char *probe_source_end(const char *start, const char *end);
int probe_parse_line(const char *text, const char *start, const char *end, struct arena *arena,
		     struct probe *probe, struct fathom_err *err);

/* probe-finder.c */
/* The file in which the places of a probe are searched. */
struct probe_finder {
	const struct probe *probe;
	struct user_program *program; /* or the kernel's file with debug information */
	const char *path;
	const char *probe_path; /* the path to give to the kernel, see probe-path.h; NULL: @path */
	struct probe_sites *sites;
	struct fathom_err *err;
};
#define probe_finder_fail(finder, at, ...) \
	probe_error((finder)->probe->text, at, (finder)->err, __VA_ARGS__)
/*
 * Opens the program of a user probe; for kernel probes see probe_open_kernel(). probe_finder_done()
 * closes it.
 */
int probe_finder_open(struct probe_finder *finder, const struct probe_where *where);
/* Closes either kind. */
void probe_finder_done(struct probe_finder *finder);
struct probe_site probe_new_site(const struct probe_finder *finder, const char *function,
				 uint64_t offset);
void probe_add_site(const struct probe_finder *finder, const struct probe_site *site);
/* Reserves space for @n places; must be called before the first one is added. */
int probe_make_room(const struct probe_finder *finder, size_t n);

/* probe-lines.c */
/* Finds the code of a source line. */
int probe_find_lines(const struct probe_finder *finder);
/* Opens the kernel's file with debug information. */
int probe_open_kernel(struct probe_finder *finder, const struct probe_where *where);

/* probe-marker.c */
/* Returns the @n-th argument, from 1 on, of the marker. */
int probe_marker_value(const struct probe_lowering *lowering, const struct probe_node *node,
		       int64_t n, struct probe_value *ret_value);
/* Returns values for all arguments of a marker that the kernel can fetch. */
int probe_marker_args(const struct probe_lowering *lowering, const struct probe_arg **ret_args);

/* probe-lower.c */
struct probe_look probe_look_at(struct probe_shape shape);
/* Returns the type as C text, such as "struct file *", for messages. In the arena. */
const char *probe_shape_text(const struct probe_lowering *lowering, struct probe_shape shape);
/*
 * Returns a load from the address of @v plus @offset, or NULL if memory is exhausted. In the arena.
 */
char *probe_load_text(const struct probe_lowering *lowering, const struct probe_value *v,
		      int64_t offset);
/* Loads @v, so that it is a value instead of an address. */
int probe_load(const struct probe_lowering *lowering, struct probe_value *v);
int probe_evaluate(const struct probe_lowering *lowering, const struct probe_node *node,
		   struct probe_value *ret_value);

/* probe-format.c */
/*
 * Returns the fetch-arg of @arg with its type, as it follows "NAME=". *@ret_enum is the enum of the
 * value, if it has one.
 */
int probe_lower_arg(const struct probe_lowering *lowering, const struct probe_arg *arg,
		    const char **ret_fetch, struct type *ret_enum);

#endif
