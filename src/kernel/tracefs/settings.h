/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the kernel offers by name and can be switched: tracers, clocks and options, each
 * with what is chosen now and, where we know it, what it is for.
 */
#ifndef FATHOM_KERNEL_TRACEFS_SETTINGS_H
#define FATHOM_KERNEL_TRACEFS_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

struct setting {
	const char *name;
	bool on; /* the current tracer or clock; an option that is set */
	const char *what; /* one line in plain words, or NULL */
};

struct settings {
	struct setting *list;
	size_t n, cap;
	struct arena arena; /* owns the names */
};

/*
 * Each reads from the directory @tracefs (or that of an instance). 0, or a negative errno
 * with the reason in @err; @ret_settings is untouched then.
 */
int settings_read_tracers(int tracefs, struct settings *ret_settings, struct fathom_err *err);
int settings_read_clocks(int tracefs, struct settings *ret_settings, struct fathom_err *err);
/* Sorted by name. Options of a tracer are there on old kernels only while it is chosen. */
int settings_read_options(int tracefs, struct settings *ret_settings, struct fathom_err *err);
void settings_done(struct settings *settings);

/* One line about a tracer, a clock or an option; NULL when we have none. */
const char *setting_tracer_words(const char *name);
const char *setting_clock_words(const char *name);
const char *setting_option_words(const char *name);

#endif
