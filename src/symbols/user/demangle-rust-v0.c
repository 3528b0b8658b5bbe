/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rust's v0 mangling ("_RNvCs4fqI2P2rA04_7mycrate3foo"): a small grammar with back-references,
 * which let a short name expand without limit. Names are untrusted; recursion depth and output
 * length are bounded. Hashes are omitted.
 *
 * libiberty's demangler is not used, because it does not bound its output, and exits if memory is
 * exhausted.
 */
#include <stdint.h>
#include <string.h>

#include "symbols/user/demangle.h"

#define DEPTH_MAX   200
#define WRITTEN_MAX 16384

struct v0 {
	const char *start; /* after "_R": back-references are relative to this */
	const char *p;
	struct strbuf *out;
	size_t limit; /* limits the output */
	unsigned depth;
	uint64_t lifetimes; /* of the enclosing binders */
	bool failed;
	bool silent; /* parse without output */
};

static void put_type(struct v0 *v);
static void demangle_rust_v0_put_path(struct v0 *v, bool in_value);
static void put_const(struct v0 *v);

static void demangle_rust_v0_fail(struct v0 *v)
{
	v->failed = true;
	/* All loops stop at the end of the text. */
	v->p = "";
}

static void demangle_rust_v0_put_bytes(struct v0 *v, const char *s, size_t len)
{
	if (v->failed || v->silent)
		return;
	if (v->out->len + len > v->limit) {
		demangle_rust_v0_fail(v);
		return;
	}
	strbuf_add(v->out, s, len);
}

static void demangle_rust_v0_put(struct v0 *v, const char *s)
{
	demangle_rust_v0_put_bytes(v, s, strlen(s));
}

static void demangle_rust_v0_put_number(struct v0 *v, uint64_t n)
{
	if (!v->failed && !v->silent)
		strbuf_addf(v->out, "%llu", (unsigned long long)n);
}

static bool demangle_rust_v0_enter(struct v0 *v)
{
	if (v->failed || ++v->depth > DEPTH_MAX) {
		demangle_rust_v0_fail(v);
		return false;
	}
	return true;
}

static bool eat(struct v0 *v, char c)
{
	if (v->failed || *v->p != c)
		return false;
	v->p++;
	return true;
}

static int base_62_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'Z' ? c - 'A' + 36 : -1;
}

/* "_" is 0, "0_" is 1, and so on. */
static uint64_t read_base_62(struct v0 *v)
{
	uint64_t n = 0;

	if (eat(v, '_'))
		return 0;
	while (!eat(v, '_')) {
		int digit = base_62_digit(*v->p);

		if (digit < 0 || __builtin_mul_overflow(n, 62U, &n) ||
		    __builtin_add_overflow(n, (uint64_t)digit, &n)) {
			demangle_rust_v0_fail(v);
			return 0;
		}
		v->p++;
	}
	return n + 1;
}

/* Returns 0 if the tag is missing. */
static uint64_t read_tagged(struct v0 *v, char tag)
{
	return eat(v, tag) ? read_base_62(v) + 1 : 0;
}

struct identifier {
	const char *s;
	size_t len;
	uint64_t disambiguator;
	bool punycode;
};

static struct identifier read_plain_identifier(struct v0 *v)
{
	struct identifier id = { .s = "" };
	size_t len = 0;

	id.punycode = eat(v, 'u');
	if (*v->p < '0' || *v->p > '9') {
		demangle_rust_v0_fail(v);
		return id;
	}
	if (!eat(v, '0'))
		while (*v->p >= '0' && *v->p <= '9' && len < WRITTEN_MAX)
			len = len * 10 + (size_t)(*v->p++ - '0');
	eat(v, '_');
	if (strnlen(v->p, len) < len) {
		demangle_rust_v0_fail(v);
		return id;
	}
	id.s = v->p;
	id.len = len;
	v->p += len;
	return id;
}

static struct identifier read_identifier(struct v0 *v)
{
	uint64_t disambiguator = read_tagged(v, 's');
	struct identifier id = read_plain_identifier(v);

	id.disambiguator = disambiguator;
	return id;
}

static void put_identifier(struct v0 *v, const struct identifier *id)
{
	/* Leave characters beyond ASCII encoded, and mark them. */
	if (id->punycode)
		demangle_rust_v0_put(v, "punycode{");
	demangle_rust_v0_put_bytes(v, id->s, id->len);
	if (id->punycode)
		demangle_rust_v0_put(v, "}");
}

/* Continues at a back-reference with @what, then returns to the current place. */
static void demangle_rust_v0_follow(struct v0 *v, void (*what)(struct v0 *v))
{
	const char *tag = v->p - 1;
	uint64_t at = read_base_62(v);
	const char *back = v->p;

	if (v->failed || at >= (uint64_t)(tag - v->start)) {
		demangle_rust_v0_fail(v);
		return;
	}
	/* Without output, the target was already validated. */
	if (v->silent)
		return;
	v->p = v->start + at;
	what(v);
	if (!v->failed)
		v->p = back;
}

static void put_lifetime(struct v0 *v, uint64_t index)
{
	char name[4] = "'_";

	if (index > v->lifetimes) {
		demangle_rust_v0_fail(v);
		return;
	}
	if (!index) {
		demangle_rust_v0_put(v, name);
		return;
	}
	index = v->lifetimes - index;
	if (index < 26) {
		name[1] = (char)('a' + index);
		demangle_rust_v0_put(v, name);
	} else {
		demangle_rust_v0_put(v, "'z");
		demangle_rust_v0_put_number(v, index - 25);
	}
}

/* "for<'a, 'b> ". Returns their number, which the caller removes from @lifetimes later. */
static uint64_t put_binder(struct v0 *v)
{
	uint64_t n = read_tagged(v, 'G');

	if (n > 64) {
		demangle_rust_v0_fail(v);
		return 0;
	}
	if (!n)
		return 0;
	demangle_rust_v0_put(v, "for<");
	for (uint64_t i = 0; i < n; i++) {
		if (i)
			demangle_rust_v0_put(v, ", ");
		v->lifetimes++;
		put_lifetime(v, 1);
	}
	demangle_rust_v0_put(v, "> ");
	return n;
}

static void put_generic_arg(struct v0 *v)
{
	if (eat(v, 'L'))
		put_lifetime(v, read_base_62(v));
	else if (eat(v, 'K'))
		put_const(v);
	else
		put_type(v);
}

/* Items up to the letter E, separated by commas. Returns their number. */
static size_t demangle_rust_v0_put_list(struct v0 *v, void (*put_item)(struct v0 *v))
{
	size_t n = 0;

	for (; !v->failed && !eat(v, 'E'); n++) {
		if (!*v->p) {
			demangle_rust_v0_fail(v);
			break;
		}
		if (n)
			demangle_rust_v0_put(v, ", ");
		put_item(v);
	}
	return n;
}

static void put_value_path(struct v0 *v)
{
	demangle_rust_v0_put_path(v, true);
}

static void put_type_path(struct v0 *v)
{
	demangle_rust_v0_put_path(v, false);
}

/* "{closure#0}", or the plain name. */
static void put_nested(struct v0 *v, bool in_value)
{
	char space = *v->p;
	struct identifier id;

	if (space)
		v->p++;
	demangle_rust_v0_put_path(v, in_value);
	id = read_identifier(v);
	if (space >= 'A' && space <= 'Z') {
		demangle_rust_v0_put(v, "::{");
		if (space == 'C')
			demangle_rust_v0_put(v, "closure");
		else if (space == 'S')
			demangle_rust_v0_put(v, "shim");
		else
			demangle_rust_v0_put_bytes(v, &space, 1);
		if (id.len) {
			demangle_rust_v0_put(v, ":");
			put_identifier(v, &id);
		}
		demangle_rust_v0_put(v, "#");
		demangle_rust_v0_put_number(v, id.disambiguator);
		demangle_rust_v0_put(v, "}");
	} else if (space >= 'a' && space <= 'z') {
		if (id.len)
			demangle_rust_v0_put(v, "::");
		put_identifier(v, &id);
	} else {
		demangle_rust_v0_fail(v);
	}
}

/* The path of an impl block is not useful to readers. */
static void skip_impl_path(struct v0 *v)
{
	bool silent = v->silent;

	read_tagged(v, 's');
	v->silent = true;
	demangle_rust_v0_put_path(v, false);
	v->silent = silent;
}

static void put_impl(struct v0 *v, char tag)
{
	if (tag != 'Y')
		skip_impl_path(v);
	demangle_rust_v0_put(v, "<");
	put_type(v);
	if (tag != 'M') {
		demangle_rust_v0_put(v, " as ");
		demangle_rust_v0_put_path(v, false);
	}
	demangle_rust_v0_put(v, ">");
}

static void demangle_rust_v0_put_path(struct v0 *v, bool in_value)
{
	struct identifier id;
	char tag;

	if (!demangle_rust_v0_enter(v))
		return;
	tag = *v->p;
	if (tag)
		v->p++;
	switch (tag) {
	case 'C':
		id = read_identifier(v);
		put_identifier(v, &id);
		break;
	case 'M':
	case 'X':
	case 'Y':
		put_impl(v, tag);
		break;
	case 'N':
		put_nested(v, in_value);
		break;
	case 'I':
		demangle_rust_v0_put_path(v, in_value);
		demangle_rust_v0_put(v, in_value ? "::<" : "<");
		demangle_rust_v0_put_list(v, put_generic_arg);
		demangle_rust_v0_put(v, ">");
		break;
	case 'B':
		demangle_rust_v0_follow(v, in_value ? put_value_path : put_type_path);
		break;
	default:
		demangle_rust_v0_fail(v);
	}
	v->depth--;
}

static const char *basic_type(char tag)
{
	static const char *const names[] = {
		['a' - 'a'] = "i8",   ['b' - 'a'] = "bool",  ['c' - 'a'] = "char",
		['d' - 'a'] = "f64",  ['e' - 'a'] = "str",   ['f' - 'a'] = "f32",
		['h' - 'a'] = "u8",   ['i' - 'a'] = "isize", ['j' - 'a'] = "usize",
		['l' - 'a'] = "i32",  ['m' - 'a'] = "u32",   ['n' - 'a'] = "i128",
		['o' - 'a'] = "u128", ['p' - 'a'] = "_",     ['s' - 'a'] = "i16",
		['t' - 'a'] = "u16",  ['u' - 'a'] = "()",    ['v' - 'a'] = "...",
		['x' - 'a'] = "i64",  ['y' - 'a'] = "u64",   ['z' - 'a'] = "!",
	};

	return tag >= 'a' && tag <= 'z' ? names[tag - 'a'] : NULL;
}

static void put_tuple(struct v0 *v)
{
	demangle_rust_v0_put(v, "(");
	demangle_rust_v0_put(v, demangle_rust_v0_put_list(v, put_type) == 1 ? ",)" : ")");
}

static void demangle_rust_v0_put_function(struct v0 *v)
{
	uint64_t bound = put_binder(v);

	if (eat(v, 'U'))
		demangle_rust_v0_put(v, "unsafe ");
	if (eat(v, 'K')) {
		demangle_rust_v0_put(v, "extern \"");
		if (eat(v, 'C')) {
			demangle_rust_v0_put(v, "C");
		} else {
			struct identifier id = read_plain_identifier(v);

			for (size_t i = 0; i < id.len; i++)
				demangle_rust_v0_put_bytes(v, id.s[i] == '_' ? "-" : id.s + i, 1);
		}
		demangle_rust_v0_put(v, "\" ");
	}
	demangle_rust_v0_put(v, "fn(");
	demangle_rust_v0_put_list(v, put_type);
	demangle_rust_v0_put(v, ")");
	if (!eat(v, 'u')) {
		demangle_rust_v0_put(v, " -> ");
		put_type(v);
	}
	v->lifetimes -= bound;
}

/* A path with its generic arguments left open for "Item = u8". */
static bool put_open_path(struct v0 *v)
{
	bool open = false;

	if (!demangle_rust_v0_enter(v))
		return false;
	if (eat(v, 'I')) {
		demangle_rust_v0_put_path(v, false);
		demangle_rust_v0_put(v, "<");
		demangle_rust_v0_put_list(v, put_generic_arg);
		open = true;
	} else {
		demangle_rust_v0_put_path(v, false);
	}
	v->depth--;
	return open;
}

static void put_dyn(struct v0 *v)
{
	uint64_t bound;

	demangle_rust_v0_put(v, "dyn ");
	bound = put_binder(v);
	for (bool first = true; !v->failed && !eat(v, 'E'); first = false) {
		bool open;

		if (!*v->p) {
			demangle_rust_v0_fail(v);
			return;
		}
		if (!first)
			demangle_rust_v0_put(v, " + ");
		open = put_open_path(v);
		while (eat(v, 'p')) {
			struct identifier id;

			demangle_rust_v0_put(v, open ? ", " : "<");
			open = true;
			id = read_plain_identifier(v);
			put_identifier(v, &id);
			demangle_rust_v0_put(v, " = ");
			put_type(v);
		}
		if (open)
			demangle_rust_v0_put(v, ">");
	}
	v->lifetimes -= bound;
	if (!eat(v, 'L')) {
		demangle_rust_v0_fail(v);
		return;
	}
	bound = read_base_62(v);
	if (bound) {
		demangle_rust_v0_put(v, " + ");
		put_lifetime(v, bound);
	}
}

static void put_reference(struct v0 *v, char tag)
{
	demangle_rust_v0_put(v, "&");
	if (eat(v, 'L')) {
		uint64_t lifetime = read_base_62(v);

		if (lifetime) {
			put_lifetime(v, lifetime);
			demangle_rust_v0_put(v, " ");
		}
	}
	if (tag == 'Q')
		demangle_rust_v0_put(v, "mut ");
	put_type(v);
}

static void put_type(struct v0 *v)
{
	const char *basic;
	char tag;

	if (!demangle_rust_v0_enter(v))
		return;
	tag = *v->p;
	basic = basic_type(tag);
	if (tag)
		v->p++;
	if (basic) {
		demangle_rust_v0_put(v, basic);
	} else if (tag == 'A' || tag == 'S') {
		demangle_rust_v0_put(v, "[");
		put_type(v);
		if (tag == 'A') {
			demangle_rust_v0_put(v, "; ");
			put_const(v);
		}
		demangle_rust_v0_put(v, "]");
	} else if (tag == 'R' || tag == 'Q') {
		put_reference(v, tag);
	} else if (tag == 'P' || tag == 'O') {
		demangle_rust_v0_put(v, tag == 'P' ? "*const " : "*mut ");
		put_type(v);
	} else if (tag == 'T') {
		put_tuple(v);
	} else if (tag == 'F') {
		demangle_rust_v0_put_function(v);
	} else if (tag == 'D') {
		put_dyn(v);
	} else if (tag == 'B') {
		demangle_rust_v0_follow(v, put_type);
	} else {
		if (tag)
			v->p--;
		demangle_rust_v0_put_path(v, false);
	}
	v->depth--;
}

static void put_const_value(struct v0 *v, char type)
{
	bool negative = eat(v, 'n');
	const char *digits = v->p;
	size_t len = strspn(digits, "0123456789abcdef");
	uint64_t n = 0;

	v->p += len;
	if (!eat(v, '_')) {
		demangle_rust_v0_fail(v);
		return;
	}
	for (size_t i = 0; i < len && len <= 16; i++)
		n = n << 4 | (uint64_t)(digits[i] <= '9' ? digits[i] - '0' : digits[i] - 'a' + 10);
	if (negative)
		demangle_rust_v0_put(v, "-");
	if (type == 'b') {
		demangle_rust_v0_put(v, n ? "true" : "false");
	} else if (type == 'c' && n >= ' ' && n < 127) {
		char c[] = { '\'', (char)n, '\'' };

		demangle_rust_v0_put_bytes(v, c, sizeof(c));
	} else if (len <= 16 && type != 'c') {
		demangle_rust_v0_put_number(v, n);
	} else {
		demangle_rust_v0_put(v, "0x");
		demangle_rust_v0_put_bytes(v, digits, len);
	}
}

static void put_const(struct v0 *v)
{
	char tag;

	if (!demangle_rust_v0_enter(v))
		return;
	tag = *v->p;
	if (tag)
		v->p++;
	if (tag == 'p')
		demangle_rust_v0_put(v, "_");
	else if (tag == 'B')
		demangle_rust_v0_follow(v, put_const);
	else if (tag && strchr("abchijlmnostxy", tag))
		put_const_value(v, tag);
	else
		demangle_rust_v0_fail(v);
	v->depth--;
}

bool demangle_rust_v0(const char *name, struct strbuf *out)
{
	struct v0 v = { .start = name + 2, .p = name + 2, .out = out };
	size_t start = out->len;

	/* A digit would be an encoding version, for future use. */
	if (name[0] != '_' || name[1] != 'R' || name[2] < 'A' || name[2] > 'Z')
		return false;
	v.limit = start + WRITTEN_MAX;
	demangle_rust_v0_put_path(&v, true);
	/* The place of instantiation, and compiler suffixes such as ".llvm.123". */
	if (!v.failed && *v.p >= 'A' && *v.p <= 'Z') {
		v.silent = true;
		demangle_rust_v0_put_path(&v, false);
	}
	if (!v.failed && (!*v.p || *v.p == '.'))
		return true;
	out->len = start;
	if (out->s)
		out->s[start] = '\0';
	return false;
}
