/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tracers, clocks and options that the kernel offers by name, with the current choice and, if
 * known, a description. Strings belong to the list and are valid until settings_done().
 */
#ifndef FATHOM_KERNEL_TRACEFS_SETTINGS_H
#define FATHOM_KERNEL_TRACEFS_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include <fathom/err.h>

#include "base/arena.h"

struct setting {
	const char *name;
	bool on; /* the current tracer or clock, or an option that is set */
	const char *what; /* one-line description, static, or NULL */
};

struct settings {
	struct setting *list;
	size_t n, cap;
	struct arena arena; /* owns the names */
};

/*
 * These read from the descriptor @tracefs, of the tracefs directory or of an instance. They return
 * 0 or a negative errno.
 */
int settings_read_tracers(int tracefs, struct settings *ret_settings, struct fathom_err *err);
int settings_read_clocks(int tracefs, struct settings *ret_settings, struct fathom_err *err);
/* Sorted by name. Old kernels list the options of a tracer only while it is the current one. */
int settings_read_options(int tracefs, struct settings *ret_settings, struct fathom_err *err);
void settings_done(struct settings *settings);

/* Return a one-line description, which is static, or NULL. */
const char *setting_tracer_words(const char *name);
const char *setting_clock_words(const char *name);
const char *setting_option_words(const char *name);

#endif
