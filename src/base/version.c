/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <fathom/version.h>

const char *fathom_version(void)
{
	return FATHOM_VERSION;
}
