/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses probes, without knowledge about the kernel. Errors include their place in the text. */
#include "symbols/probe/probe-parts.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"

/* Limits nesting of brackets and stars, and thus the use of the stack. */
#define DEPTH_MAX 64
/* The kernel's limit. */
#define ARGS_MAX 128

struct parser {
	const char *text;
	const char *p;
	struct arena *arena;
	struct fathom_err *err;
	unsigned depth;
	unsigned n_args;
};

static const struct {
	const char *prefix;
	enum probe_kind kind;
} kinds[] = {
	{ "k:", PROBE_ENTRY },		{ "kr:", PROBE_RETURN },    { "f:", PROBE_FPROBE },
	{ "fr:", PROBE_FPROBE_RETURN }, { "t:", PROBE_TRACEPOINT }, { "u:", PROBE_USER },
	{ "ur:", PROBE_USER_RETURN },	{ "usdt:", PROBE_MARKER },
};

#define fail(parser, where, ...) \
	probe_error((parser)->text, (size_t)((where) - (parser)->text), (parser)->err, __VA_ARGS__)

static bool is_word_start(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

static bool probe_parse_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void skip_spaces(struct parser *parser)
{
	while (isspace((unsigned char)*parser->p))
		parser->p++;
}

/* Skips @token if it is next. */
static bool probe_parse_accept(struct parser *parser, const char *token)
{
	size_t len = strlen(token);

	skip_spaces(parser);
	if (strncmp(parser->p, token, len) != 0)
		return false;
	parser->p += len;
	return true;
}

static size_t word_length(const char *p)
{
	size_t n = 0;

	if (is_word_start(*p))
		while (probe_parse_is_word(p[n]))
			n++;
	return n;
}

static int probe_parse_take_text(struct parser *parser, size_t len, const char **ret)
{
	*ret = arena_strndup(parser->arena, parser->p, len);
	if (!*ret)
		return err_nomem(parser->err);
	parser->p += len;
	return 0;
}

static int parse_word(struct parser *parser, const char *what, const char **ret)
{
	size_t len;

	skip_spaces(parser);
	len = word_length(parser->p);
	if (!len)
		return fail(parser, parser->p, "expected %s", what);
	return probe_parse_take_text(parser, len, ret);
}

static int probe_parse_new_node(struct parser *parser, enum node_op op, const char *at,
				const struct probe_node *inner, struct probe_node **ret)
{
	struct probe_node *node = arena_zalloc(parser->arena, 1, sizeof(*node));

	if (!node)
		return err_nomem(parser->err);
	*node = (struct probe_node){ .op = op, .at = (size_t)(at - parser->text), .inner = inner };
	*ret = node;
	return 0;
}

static int probe_parse_number(struct parser *parser, int64_t *ret, bool *ret_hex)
{
	const char *start;
	bool negative = probe_parse_accept(parser, "-");
	unsigned long long value;
	char *end;

	skip_spaces(parser);
	start = parser->p;
	if (!isdigit((unsigned char)*start))
		return fail(parser, start, "expected a number");
	errno = 0;
	value = strtoull(start, &end, 0);
	if (errno || probe_parse_is_word(*end))
		return fail(parser, start, "invalid number: expected at most 64 bits");
	parser->p = end;
	/* As in C: the bits of the unsigned value. */
	*ret = (int64_t)(negative ? 0 - value : value);
	*ret_hex = start[0] == '0' && (start[1] | 32) == 'x';
	return 0;
}

static int probe_parse_unary(struct parser *parser, struct probe_node **ret);

/* $arg1, $stack, $stack3, $comm, $retval */
static int parse_dollar(struct parser *parser, struct probe_node **ret)
{
	const char *start = parser->p++, *name = NULL;
	int r = parse_word(parser, "'arg1', 'stack', 'comm' or 'retval'", &name);
	const char *digits;

	if (r < 0)
		return r;
	r = probe_parse_new_node(parser, NODE_SPECIAL, start, NULL, ret);
	if (r < 0)
		return r;
	(*ret)->name = name;
	digits = name + strcspn(name, "0123456789");
	(*ret)->number = strtol(digits, NULL, 10);
	if (strcmp(name, "retval") == 0) {
		(*ret)->op = NODE_NAME;
		(*ret)->name = "ret";
	} else if (strncmp(name, "arg", 3) == 0 && digits == name + 3 && (*ret)->number > 0) {
		(*ret)->op = NODE_ARG;
	} else if (strcmp(name, "comm") != 0 && strcmp(name, "stack") != 0 &&
		   (strncmp(name, "stack", 5) != 0 || digits != name + 5 || !*digits)) {
		return fail(
			parser, start,
			"unknown variable '$%.40s': expected $arg1, $arg2, ..., $stack, $stack0, "
			"..., $comm or $retval",
			name);
	}
	return 0;
}

static int probe_parse_primary(struct parser *parser, struct probe_node **ret)
{
	const char *start, *name;
	int r;

	skip_spaces(parser);
	start = parser->p;
	if (*start == '$')
		return parse_dollar(parser, ret);
	if (*start == '(') {
		parser->p++;
		r = probe_parse_unary(parser, ret);
		if (r == 0 && !probe_parse_accept(parser, ")"))
			r = fail(parser, parser->p, "expected ')'");
		return r;
	}
	if (isdigit((unsigned char)*start) || *start == '-') {
		r = probe_parse_new_node(parser, NODE_NUMBER, start, NULL, ret);
		return r < 0 ? r : probe_parse_number(parser, &(*ret)->number, &(*ret)->is_hex);
	}
	if (*start == '%')
		parser->p++;
	r = parse_word(parser,
		       *start == '%' ? "a register name" : "a parameter, a member or a number",
		       &name);
	if (r == 0)
		r = probe_parse_new_node(parser, *start == '%' ? NODE_REGISTER : NODE_NAME, start,
					 NULL, ret);
	if (r == 0)
		(*ret)->name = name;
	return r;
}

static int probe_parse_member(struct parser *parser, enum node_op op, struct probe_node **node)
{
	const char *name, *at;
	int r;

	skip_spaces(parser);
	at = parser->p;
	r = parse_word(parser, "a member name", &name);
	if (r == 0)
		r = probe_parse_new_node(parser, op, at, *node, node);
	if (r == 0)
		(*node)->name = name;
	return r;
}

static int probe_parse_index(struct parser *parser, const char *at, struct probe_node **node)
{
	int64_t number;
	bool hex;
	int r;

	skip_spaces(parser);
	if (!isdigit((unsigned char)*parser->p) && *parser->p != '-')
		return fail(parser, parser->p, "an index must be a number");
	r = probe_parse_number(parser, &number, &hex);
	if (r == 0 && !probe_parse_accept(parser, "]"))
		r = fail(parser, parser->p, "expected ']'");
	if (r == 0)
		r = probe_parse_new_node(parser, NODE_INDEX, at, *node, node);
	if (r == 0)
		(*node)->number = number;
	return r;
}

static int probe_parse_postfix(struct parser *parser, struct probe_node **ret)
{
	struct probe_node *node = NULL;
	unsigned steps = 0;
	int r = probe_parse_primary(parser, &node);

	while (r == 0) {
		const char *at;

		skip_spaces(parser);
		at = parser->p;
		if (probe_parse_accept(parser, "->"))
			r = probe_parse_member(parser, NODE_ARROW, &node);
		else if (probe_parse_accept(parser, "."))
			r = probe_parse_member(parser, NODE_DOT, &node);
		else if (probe_parse_accept(parser, "["))
			r = probe_parse_index(parser, at, &node);
		else
			break;
		if (r == 0 && ++steps > DEPTH_MAX)
			r = fail(parser, at, "too many operators");
	}
	if (r == 0)
		*ret = node;
	return r;
}

/* Returns whether a word can only begin the name of a type. */
static bool is_type_word(const char *p, size_t len)
{
	static const char *const words[] = { "struct", "union",	   "enum",  "const", "volatile",
					     "signed", "unsigned", "char",  "short", "int",
					     "long",   "void",	   "_Bool", "bool" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i]) == len && strncmp(p, words[i], len) == 0)
			return true;
	return false;
}

/* After the '(' at @p: returns whether it is a cast. "(word)" is one if an operand follows. */
static bool is_cast(const char *p)
{
	size_t len;

	p += strspn(p, " \t");
	len = word_length(p);
	if (!len)
		return false;
	if (is_type_word(p, len))
		return true;
	p += len;
	p += strspn(p, " \t");
	if (*p == '*' || strncmp(p, "__user", 6) == 0)
		return true;
	if (*p != ')')
		return false;
	p++;
	p += strspn(p, " \t");
	return probe_parse_is_word(*p) || (*p && strchr("($%*&", *p));
}

/* Parses the words of a type, without qualifiers and others that don't affect the layout. */
static int parse_type_words(struct parser *parser, struct strbuf *name, bool *user)
{
	for (;;) {
		size_t len;

		skip_spaces(parser);
		len = word_length(parser->p);
		if (!len)
			return name->err ? err_nomem(parser->err) : 0;
		if (len == 6 && strncmp(parser->p, "__user", 6) == 0)
			*user = true;
		else if (!(len == 5 && strncmp(parser->p, "const", 5) == 0) &&
			 !(len == 8 && strncmp(parser->p, "volatile", 8) == 0)) {
			if (name->len)
				strbuf_addc(name, ' ');
			strbuf_add(name, parser->p, len);
		}
		parser->p += len;
	}
}

static int probe_parse_cast(struct parser *parser, struct probe_node **ret)
{
	_cleanup_strbuf_ struct strbuf name = { 0 };
	struct probe_node *inner = NULL, *node = NULL;
	bool user = false;
	unsigned stars = 0;
	const char *at;
	int r;

	parser->p++;
	skip_spaces(parser);
	at = parser->p;
	r = parse_type_words(parser, &name, &user);
	while (r == 0 && probe_parse_accept(parser, "*")) {
		struct strbuf none = { 0 };

		stars++;
		r = parse_type_words(parser, &none, &user);
		if (r == 0 && none.len)
			r = fail(parser, parser->p, "invalid type name");
		strbuf_done(&none);
	}
	if (r == 0 && !name.len)
		r = fail(parser, at, "expected a type name");
	if (r == 0 && !probe_parse_accept(parser, ")"))
		r = fail(parser, parser->p, "expected ')' after the type name");
	if (r == 0)
		r = probe_parse_unary(parser, &inner);
	if (r < 0)
		return r;
	r = probe_parse_new_node(parser, NODE_CAST, at, inner, &node);
	if (r < 0)
		return r;
	node->stars = stars;
	node->is_user = user;
	node->name = arena_strdup(parser->arena, name.s);
	*ret = node;
	return node->name ? 0 : err_nomem(parser->err);
}

static int parse_prefix(struct parser *parser, enum node_op op, struct probe_node **ret)
{
	const char *at = parser->p++;
	struct probe_node *inner = NULL;
	int r = probe_parse_unary(parser, &inner);

	return r < 0 ? r : probe_parse_new_node(parser, op, at, inner, ret);
}

static int probe_parse_unary(struct parser *parser, struct probe_node **ret)
{
	int r;

	skip_spaces(parser);
	if (++parser->depth > DEPTH_MAX)
		return fail(parser, parser->p, "nested too deeply");
	if (*parser->p == '*')
		r = parse_prefix(parser, NODE_DEREF, ret);
	else if (*parser->p == '&')
		r = parse_prefix(parser, NODE_ADDRESS, ret);
	else if (*parser->p == '(' && is_cast(parser->p + 1))
		r = probe_parse_cast(parser, ret);
	else
		r = probe_parse_postfix(parser, ret);
	parser->depth--;
	return r;
}

/* "LABEL=", but not "LABEL==". */
static int parse_label(struct parser *parser, struct probe_arg *arg)
{
	size_t len, spaces;

	skip_spaces(parser);
	len = word_length(parser->p);
	spaces = strspn(parser->p + len, " \t");
	if (!len || parser->p[len + spaces] != '=' || parser->p[len + spaces + 1] == '=')
		return 0;
	arg->label_at = (size_t)(parser->p - parser->text);
	if (probe_parse_take_text(parser, len, &arg->label) < 0)
		return -ENOMEM;
	parser->p += spaces + 1;
	return 0;
}

static int parse_format(struct parser *parser, struct probe_arg *arg)
{
	if (!probe_parse_accept(parser, ":"))
		return 0;
	skip_spaces(parser);
	arg->format_at = (size_t)(parser->p - parser->text);
	return parse_word(parser, "a format, such as string, x, d or u32", &arg->format);
}

static int parse_arg(struct parser *parser, struct probe_arg **ret)
{
	struct probe_arg *arg = arena_zalloc(parser->arena, 1, sizeof(*arg));
	struct probe_node *node = NULL;
	int r;

	if (!arg)
		return err_nomem(parser->err);
	r = parse_label(parser, arg);
	if (r == 0)
		r = probe_parse_unary(parser, &node);
	if (r == 0)
		r = parse_format(parser, arg);
	if (r < 0)
		return r;
	arg->node = node;
	skip_spaces(parser);
	if (*parser->p && strchr("+-*/%&|^<>=!?~", *parser->p))
		return fail(parser, parser->p,
			    "probes cannot compute: record the values and compute later");
	*ret = arg;
	return 0;
}

/* Appends arguments at *@last, and advances it. */
static int parse_args(struct parser *parser, struct probe_arg ***last)
{
	int r;

	do {
		r = parse_arg(parser, *last);
		if (r < 0)
			return r;
		if (++parser->n_args > ARGS_MAX)
			return fail(parser, parser->p, "too many values: the kernel accepts %d",
				    ARGS_MAX);
		*last = &(**last)->next;
	} while (probe_parse_accept(parser, ","));
	return 0;
}

/* Parses "(ARGUMENT, ...)", appended at *@last, the end of the list. */
static int parse_parameters(struct parser *parser, struct probe *probe, struct probe_arg ***last)
{
	const char *at = parser->p - 1;
	int r;

	if (probe_parse_accept(parser, ")"))
		return 0;
	if (probe->kind == PROBE_USER_RETURN)
		return fail(parser, at,
			    "parameters are not available at the return of a user function: use "
			    "'u:', or '=> ret' for the return value");
	r = parse_args(parser, last);
	if (r == 0 && !probe_parse_accept(parser, ")"))
		r = fail(parser, parser->p, "expected ',' or ')'");
	return r;
}

/* Parses what follows the place: "(ARGUMENT, ...)", "=> ARGUMENT, ...", or both. */
static int parse_values(struct parser *parser, struct probe *probe)
{
	struct probe_arg *first = NULL, **last = &first;
	const char *at;
	int r = 0;

	skip_spaces(parser);
	probe->has_values = *parser->p != '\0';
	if (probe_parse_accept(parser, "("))
		r = parse_parameters(parser, probe, &last);
	skip_spaces(parser);
	at = parser->p;
	if (r == 0 && probe_parse_accept(parser, "=>")) {
		if (!probe_is_return(probe))
			return fail(parser, at, "'=>' requires a return probe: use '%s'",
				    probe_is_user(probe) ? "ur:" : "kr:");
		r = parse_args(parser, &last);
	}
	probe->args = first;
	skip_spaces(parser);
	if (r == 0 && *parser->p)
		r = fail(parser, parser->p, "unexpected text after the probe");
	return r;
}

static bool probe_parse_is_glob(char c)
{
	return c == '*' || c == '?';
}

/* Names of functions contain dots if the compiler created them: "f.isra.0". */
static size_t function_length(const char *p)
{
	size_t n = 0;

	if (is_word_start(*p) || probe_parse_is_glob(*p))
		while (probe_parse_is_word(p[n]) || probe_parse_is_glob(p[n]) ||
		       (p[n] == '.' &&
			(probe_parse_is_word(p[n + 1]) || probe_parse_is_glob(p[n + 1]))))
			n++;
	return n;
}

/* Rejects what a probe at many functions does not support. */
static int check_glob(struct parser *parser, const struct probe *probe)
{
	const char *at = parser->text + probe->function_at;

	if (!probe_is_glob(probe))
		return 0;
	if (probe->kind == PROBE_TRACEPOINT)
		return fail(parser, at, "'t:' does not support globs");
	if (probe->event)
		return fail(parser, parser->text,
			    "a name cannot be combined with a glob: each function gets an event "
			    "of its own");
	if (probe->offset)
		return fail(parser, at, "an offset cannot be combined with a glob");
	return 0;
}

/* [MODULE:]FUNCTION[+OFFSET], SOURCE:LINE */
static int probe_parse_place(struct parser *parser, struct probe *probe)
{
	const char *what = probe->kind == PROBE_TRACEPOINT ? "tracepoint" : "function", *at;
	size_t len;
	int64_t number;
	bool hex;
	int r;

	if (probe_is_user(probe))
		return probe_parse_user_place(parser->text, parser->p, parser->arena, probe,
					      &parser->p, parser->err);
	skip_spaces(parser);
	len = strcspn(parser->p, "( \t=");
	if (probe_source_end(parser->p, parser->p + len)) {
		parser->p += len;
		return probe_parse_line(parser->text, parser->p - len, parser->p, parser->arena,
					probe, parser->err);
	}
	/* Unlike functions, modules can begin with a digit: "9p". */
	for (len = 0; probe_parse_is_word(parser->p[len]);)
		len++;
	if (len && parser->p[len] == ':') {
		r = probe_parse_take_text(parser, len, &probe->module);
		if (r < 0)
			return r;
		parser->p++;
	}
	len = function_length(parser->p);
	if (!len)
		return fail(parser, parser->p, "expected a %s name", what);
	probe->function_at = (size_t)(parser->p - parser->text);
	r = probe_parse_take_text(parser, len, &probe->function);
	skip_spaces(parser);
	at = parser->p;
	if (r < 0 || !probe_parse_accept(parser, "+"))
		return r;
	if (probe->kind != PROBE_ENTRY)
		return fail(parser, at, "an offset is supported only in 'k:'");
	skip_spaces(parser);
	if (*parser->p == '-')
		return fail(parser, parser->p, "expected a number");
	r = probe_parse_number(parser, &number, &hex);
	if (r == 0 && (number < 0 || number > INT32_MAX))
		r = fail(parser, at, "offset too large");
	probe->offset = r == 0 ? (uint64_t)number : 0;
	return r;
}

/* Returns the kind with which @text begins, or -1. *@ret_rest is what follows it. */
static int probe_parse_kind_of(const char *text, const char **ret_rest)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		*ret_rest = str_after(text, kinds[i].prefix);
		if (*ret_rest)
			return kinds[i].kind;
	}
	return -1;
}

static const char *behind_event(const char *text)
{
	size_t len = word_length(text);

	return len && text[len] == '=' ? text + len + 1 : text;
}

bool probe_is_one(const char *text)
{
	const char *rest;

	return probe_parse_kind_of(behind_event(text), &rest) >= 0;
}

int probe_parse(const char *text, struct arena *arena, const struct probe **ret_probe,
		struct fathom_err *err)
{
	struct parser parser = { .text = text, .p = text, .arena = arena, .err = err };
	struct probe *probe = arena_zalloc(arena, 1, sizeof(*probe));
	const char *kind_at = behind_event(text), *rest;
	int kind = probe_parse_kind_of(kind_at, &rest), r = 0;

	if (!probe)
		return err_nomem(err);
	if (kind < 0)
		return fail(
			&parser, kind_at,
			"unknown kind of probe: expected 'k:' (function entry), 'kr:' (function "
			"return), 'f:', 'fr:' (the same as fprobes), 't:' (tracepoint), 'u:', "
			"'ur:' (user function) or 'usdt:' (static marker)");
	probe->text = text;
	probe->kind = (enum probe_kind)kind;
	if (kind_at > text)
		r = probe_parse_take_text(&parser, (size_t)(kind_at - text - 1), &probe->event);
	if (r == 0 && probe->event && strlen(probe->event) >= PROBE_NAME_SIZE)
		r = fail(&parser, text, "field name too long: the kernel accepts %d characters",
			 PROBE_NAME_SIZE - 1);
	parser.p = rest;
	if (r == 0)
		r = probe_parse_place(&parser, probe);
	if (r == 0)
		r = check_glob(&parser, probe);
	if (r == 0)
		r = parse_values(&parser, probe);
	if (r == 0)
		*ret_probe = probe;
	return r;
}
