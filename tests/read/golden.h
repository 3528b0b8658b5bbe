/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recordings in tests/golden. */
#ifndef FATHOM_TESTS_READ_GOLDEN_H
#define FATHOM_TESTS_READ_GOLDEN_H

#include <glob.h>

#include "test.h"

/*
 * Returns the path of the @i-th one, to be freed; NULL after the last. GOLDEN_DIR is set by the
 * build.
 */
static inline char *golden_path(size_t i)
{
	char *path = NULL;
	glob_t found;

	if (glob(GOLDEN_DIR "/*.dat", 0, NULL, &found) != 0)
		fail_msg("no recordings in %s", GOLDEN_DIR);
	if (i < found.gl_pathc)
		path = strdup(found.gl_pathv[i]);
	globfree(&found);
	return path;
}

#endif
