/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/errno-name.h"

#include <string.h>

#define ERROR_MAX 4095

/* Kernel-internal errors, from its <linux/errno.h>. */
static const struct {
	int error;
	const char *name;
} internal[] = {
	{ 512, "ERESTARTSYS" },
	{ 513, "ERESTARTNOINTR" },
	{ 514, "ERESTARTNOHAND" },
	{ 515, "ENOIOCTLCMD" },
	{ 516, "ERESTART_RESTARTBLOCK" },
	{ 517, "EPROBE_DEFER" },
	{ 518, "EOPENSTALE" },
	{ 519, "ENOPARAM" },
	{ 521, "EBADHANDLE" },
	{ 522, "ENOTSYNC" },
	{ 523, "EBADCOOKIE" },
	{ 524, "ENOTSUPP" },
	{ 525, "ETOOSMALL" },
	{ 526, "ESERVERFAULT" },
	{ 527, "EBADTYPE" },
	{ 528, "EJUKEBOX" },
	{ 529, "EIOCBQUEUED" },
	{ 530, "ERECALLCONFLICT" },
	{ 531, "ENOGRACE" },
};

const char *errno_name(int error)
{
	for (size_t i = 0; i < sizeof(internal) / sizeof(*internal); i++)
		if (internal[i].error == error)
			return internal[i].name;
	return error > 0 ? strerrorname_np(error) : NULL;
}

static bool errno_name_is(const char *known, const char *name, size_t len)
{
	return known && strncmp(known, name, len) == 0 && !known[len];
}

int errno_number(const char *name, size_t len)
{
	/* Most words that are looked up are not errors. */
	if (!len || name[0] != 'E')
		return 0;
	for (size_t i = 0; i < sizeof(internal) / sizeof(*internal); i++)
		if (errno_name_is(internal[i].name, name, len))
			return internal[i].error;
	for (int error = 1; error <= ERROR_MAX; error++)
		if (errno_name_is(strerrorname_np(error), name, len))
			return error;
	return 0;
}

bool errno_is_restart(int error)
{
	return error == 512 || error == 513 || error == 514 || error == 516;
}
