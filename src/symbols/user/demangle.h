/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of C++ and Rust functions as they are written in the source. C++ is done by the C++ library
 * of the machine where there is one; it is loaded at run time, so that nothing here needs it. Rust is
 * done here.
 */
#ifndef FATHOM_SYMBOLS_USER_DEMANGLE_H
#define FATHOM_SYMBOLS_USER_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

/* Zero-initialised does Rust only. */
struct demangler {
	void *library;
	char *(*cxx)(const char *mangled, char *buf, size_t *len, int *ret_status);
};

/* Loads what there is; to be called while files may be opened. */
void demangler_load(struct demangler *demangler);
void demangler_done(struct demangler *demangler);

/* Appends the readable form of @name. False: it has none, and nothing was added. */
bool demangle(struct demangler *demangler, const char *name, struct strbuf *out);
/* The same for the two forms of Rust alone. */
bool demangle_rust(const char *name, struct strbuf *out);
/* demangle-rust-v0.c: for names that begin with "_R". */
bool demangle_rust_v0(const char *name, struct strbuf *out);

#endif
