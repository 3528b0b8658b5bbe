/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "kernel/events/added-event.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/mem.h"
#include "base/cleanup.h"

bool added_event_name_is_valid(const char *name)
{
	const char *slash = strchr(name, '/');

	if (!slash || slash == name || !slash[1] || strlen(name) >= ADDED_EVENT_NAME_SIZE)
		return false;
	for (const char *p = name; *p; p++)
		if (p != slash && !isalnum((unsigned char)*p) && *p != '_')
			return false;
	return true;
}

int added_event_name(const char *definition, char *name, size_t size)
{
	const char *colon = strchr(definition, ':'), *start;
	size_t len;
	int n;

	if (!colon || !strchr("prefts", *definition))
		return -EINVAL;
	/* "r100:" limits how many calls can be in progress at once. */
	if ((size_t)(colon - definition) != 1 + strspn(definition + 1, "0123456789"))
		return -EINVAL;
	start = colon + 1;
	len = strcspn(start, " \t;");
	if (*definition == 's' && !memchr(start, '/', len))
		n = snprintf(name, size, "synthetic/%.*s", (int)len, start);
	else
		n = snprintf(name, size, "%.*s", (int)len, start);
	if (n < 0 || (size_t)n >= size || !added_event_name_is_valid(name))
		return -EINVAL;
	return 0;
}

static bool event_exists(int tracefs, const char *name)
{
	char path[ADDED_EVENT_NAME_SIZE + 16];

	snprintf(path, sizeof(path), "events/%s", name);
	return faccessat(tracefs, path, F_OK, 0) == 0;
}

/*
 * Kernels without dynamic_events have a file for each kind of event. A uprobe is recognized by its
 * path, because kernel symbols contain no slash.
 */
static const char *added_event_file_for(int tracefs, const char *definition)
{
	const char *place = strpbrk(definition, " \t");

	if (faccessat(tracefs, "dynamic_events", F_OK, 0) == 0)
		return "dynamic_events";
	if (*definition == 's')
		return "synthetic_events";
	return place && place[1] == '/' ? "uprobe_events" : "kprobe_events";
}

static int write_definition(int tracefs, const char *definition)
{
	_cleanup_free_ char *line = mem_printf("%s\n", definition);

	if (!line)
		return -ENOMEM;
	return file_write(tracefs, added_event_file_for(tracefs, definition), O_APPEND, line);
}

int added_event_make(int tracefs, const char *definition)
{
	char name[ADDED_EVENT_NAME_SIZE];
	int r = added_event_name(definition, name, sizeof(name));

	if (r < 0 || strchr(definition, '\n'))
		return -EINVAL;
	if (event_exists(tracefs, name))
		return -EEXIST;
	return write_definition(tracefs, definition);
}

int added_event_extend(int tracefs, const char *definition)
{
	char name[ADDED_EVENT_NAME_SIZE];
	int r = added_event_name(definition, name, sizeof(name));

	if (r < 0 || strchr(definition, '\n'))
		return -EINVAL;
	return write_definition(tracefs, definition);
}

static int remove_once(int tracefs, const char *name)
{
	static const char *const files[] = { "dynamic_events", "kprobe_events", "uprobe_events",
					     "synthetic_events" };
	char line[ADDED_EVENT_NAME_SIZE + 8];
	int result = -ENOENT;

	for (size_t i = 0; i < ARRAY_SIZE(files) && event_exists(tracefs, name); i++) {
		int r;

		if (i == 3)
			snprintf(line, sizeof(line), "!%s\n", strchr(name, '/') + 1);
		else
			snprintf(line, sizeof(line), "-:%s\n", name);
		r = file_write(tracefs, files[i], O_APPEND, line);
		if (r != -ENOENT && r != -EINVAL)
			return r;
		if (result == -ENOENT)
			result = r;
	}
	return event_exists(tracefs, name) ? result : 0;
}

int added_event_remove(int tracefs, const char *name, unsigned wait_ms)
{
	if (!added_event_name_is_valid(name))
		return -EINVAL;
	for (unsigned waited = 0;; waited += 20) {
		int r = remove_once(tracefs, name);

		if (r != -EBUSY || waited >= wait_ms)
			return r;
		nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	}
}
