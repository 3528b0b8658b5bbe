/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of the options of all commands. */
#ifndef FATHOM_CLI_KIT_COMMON_OPTIONS_H
#define FATHOM_CLI_KIT_COMMON_OPTIONS_H

#include <stdbool.h>

struct common_args {
	bool help;
	unsigned color; /* enum out_color */
	bool no_pager;
};

#endif
