/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "symbols/user/demangle.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

/* Longer names are not demangled: even a short one can expand to a very long one. */
#define MANGLED_MAX   2048
#define DEMANGLED_MAX 16384

void demangler_load(struct demangler *demangler)
{
	*demangler =
		(struct demangler){ .library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL) };
	if (!demangler->library)
		return;
	/* As POSIX recommends: a function pointer is set through an object pointer. */
	*(void **)&demangler->cxx = dlsym(demangler->library, "__cxa_demangle");
}

void demangler_done(struct demangler *demangler)
{
	if (demangler->library)
		dlclose(demangler->library);
	*demangler = (struct demangler){ 0 };
}

/* Parses "12name". Returns the length, or 0 if there is none, and advances *@p to the name. */
static size_t read_length(const char **p)
{
	size_t len = 0;

	while (**p >= '0' && **p <= '9' && len < MANGLED_MAX)
		len = len * 10 + (size_t)(*(*p)++ - '0');
	return len && len <= strnlen(*p, len) ? len : 0;
}

static bool is_hash(const char *s, size_t len)
{
	return len == 17 && s[0] == 'h' && strspn(s + 1, "0123456789abcdef") >= 16;
}

/* Returns the character encoded as "$...$"; 0: none. Of "$uXX$", only printable ASCII. */
static char demangle_escaped(const char *s, size_t len)
{
	static const struct {
		const char *code;
		char c;
	} codes[] = {
		{ "SP", '@' }, { "BP", '*' }, { "RF", '&' }, { "LT", '<' },
		{ "GT", '>' }, { "LP", '(' }, { "RP", ')' }, { "C", ',' },
	};
	const char *hex = s + 1;
	uint64_t value;

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (strlen(codes[i].code) == len && memcmp(codes[i].code, s, len) == 0)
			return codes[i].c;
	if (len < 2 || s[0] != 'u')
		return 0;
	value = str_hex(&hex);
	return hex == s + len && value >= ' ' && value < 127 ? (char)value : 0;
}

static void put_rust_part(const char *s, size_t len, struct strbuf *out)
{
	/* Before an escape at the beginning, an underscore is inserted. */
	if (len > 1 && s[0] == '_' && s[1] == '$')
		s++, len--;
	while (len) {
		const char *end = s[0] == '$' ? memchr(s + 1, '$', len - 1) : NULL;
		char c = end ? demangle_escaped(s + 1, (size_t)(end - s) - 1) : '\0';
		size_t used = 1;

		if (c) {
			strbuf_addc(out, c);
			used = (size_t)(end - s) + 1;
		} else if (len > 1 && s[0] == '.' && s[1] == '.') {
			strbuf_adds(out, "::");
			used = 2;
		} else {
			strbuf_addc(out, s[0]);
		}
		s += used;
		len -= used;
	}
}

/* "_ZN3foo3bar17h0123456789abcdefE": as in C++, with a hash as the last component. */
static bool demangle_rust_legacy(const char *name, struct strbuf *out)
{
	const char *p = str_after(name, "_ZN");
	size_t parts = 0, start = out->len;
	const char *hash = NULL;
	size_t len;

	if (!p)
		return false;
	/* Scan to the end first: only the hash there distinguishes Rust. */
	for (const char *q = p; *q != 'E'; q += len, parts++) {
		len = read_length(&q);
		if (!len)
			return false;
		hash = is_hash(q, len) && q[len] == 'E' ? q : NULL;
	}
	if (!hash || parts < 2)
		return false;
	while (parts-- > 1) {
		len = read_length(&p);
		if (out->len > start)
			strbuf_adds(out, "::");
		put_rust_part(p, len, out);
		p += len;
	}
	return true;
}

bool demangle_rust(const char *name, struct strbuf *out)
{
	if (strnlen(name, MANGLED_MAX) == MANGLED_MAX)
		return false;
	return demangle_rust_v0(name, out) || demangle_rust_legacy(name, out);
}

static bool demangle_cxx(struct demangler *demangler, const char *name, struct strbuf *out)
{
	char *text;
	int status = 0;
	size_t len;

	if (!demangler->cxx || strncmp(name, "_Z", 2) != 0)
		return false;
	text = demangler->cxx(name, NULL, NULL, &status);
	/* A name that exhausts memory is malicious; don't try the other manglings. */
	if (!text && status == -1)
		demangler->cxx = NULL;
	if (!text)
		return false;
	len = strnlen(text, DEMANGLED_MAX);
	strbuf_add(out, text, len);
	free(text);
	return true;
}

bool demangle(struct demangler *demangler, const char *name, struct strbuf *out)
{
	if (name[0] != '_' || strnlen(name, MANGLED_MAX) == MANGLED_MAX)
		return false;
	return demangle_rust(name, out) || demangle_cxx(demangler, name, out);
}
