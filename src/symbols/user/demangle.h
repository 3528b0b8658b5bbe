/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Demangles names of C++ and Rust functions. C++ names are left to the system's C++ library, if
 * there is one, which is loaded at run time to avoid a dependency; Rust names are demangled here.
 * Names are untrusted; the length of the output is limited. Running out of memory is recorded in
 * the strbuf.
 */
#ifndef FATHOM_SYMBOLS_USER_DEMANGLE_H
#define FATHOM_SYMBOLS_USER_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

/* Zero-initialized: Rust only. */
struct demangler {
	void *library;
	char *(*cxx)(const char *mangled, char *buf, size_t *len, int *ret_status);
};

/* Loads the C++ library, if there is one. Must be called before entering a sandbox. */
void demangler_load(struct demangler *demangler);
void demangler_done(struct demangler *demangler);

/* Appends the readable form of @name. Returns false, and appends nothing, if there is none. */
bool demangle(struct demangler *demangler, const char *name, struct strbuf *out);
/* The same for the two manglings of Rust only. */
bool demangle_rust(const char *name, struct strbuf *out);
/* demangle-rust-v0.c: names that begin with "_R". */
bool demangle_rust_v0(const char *name, struct strbuf *out);

#endif
