/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The lines "NAME HITS MISSED" of kprobe_profile lack the group, so names are not unique.
 * kprobe_events lists the groups, in the same order.
 */
#include "kernel/events/kprobe-profile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/str.h"

#define TRIES 3

/* Lines are "r128:GROUP/NAME PLACE ...". */
static bool is_of_group(const char *line, const char *group)
{
	const char *colon = strchr(line, ':');
	size_t len = strlen(group);

	return colon && strncmp(colon + 1, group, len) == 0 && colon[1 + len] == '/';
}

static bool kprobe_profile_has_name(const char *line, const char *name)
{
	const char *slash = strchr(line, '/');
	size_t len = strlen(name);

	return slash && strncmp(slash + 1, name, len) == 0 &&
	       (slash[1 + len] == ' ' || !slash[1 + len]);
}

/* Adds the lines of a probe from both files. Returns false if they describe different probes. */
static bool kprobe_profile_add(struct kprobe_profile *profile, const char *event, char *hits,
			       const char *group)
{
	char *name = str_next_word(&hits, " \t"), *n = str_next_word(&hits, " \t");
	char *missed = str_next_word(&hits, " \t");

	if (!name || !n || !missed || !kprobe_profile_has_name(event, name))
		return false;
	if (!is_of_group(event, group))
		return true;
	profile->n++;
	if (*event == 'r')
		profile->returns += strtoull(n, NULL, 10);
	else
		profile->entries += strtoull(n, NULL, 10);
	profile->missed += strtoull(missed, NULL, 10);
	return true;
}

static int kprobe_profile_read_once(int tracefs, const char *group,
				    struct kprobe_profile *ret_profile)
{
	_cleanup_strbuf_ struct strbuf events = { 0 }, hits = { 0 };
	struct kprobe_profile profile = { 0 };
	char *event, *line, *next_event, *next_line;
	int r = file_read(tracefs, "kprobe_events", &events);

	if (r == 0)
		r = file_read(tracefs, "kprobe_profile", &hits);
	if (r < 0)
		return r;
	next_event = events.s;
	next_line = hits.s;
	while ((event = str_next_line(&next_event))) {
		if (!*event)
			continue;
		line = str_next_line(&next_line);
		if (!line || !kprobe_profile_add(&profile, event, line, group))
			return -EAGAIN;
	}
	*ret_profile = profile;
	return 0;
}

int kprobe_profile_read(int tracefs, const char *group, struct kprobe_profile *ret_profile)
{
	int r = -EAGAIN;

	for (int i = 0; i < TRIES && r == -EAGAIN; i++)
		r = kprobe_profile_read_once(tracefs, group, ret_profile);
	return r;
}

int kprobe_blacklist_read(const char *root, struct strbuf *list)
{
	_cleanup_free_ char *path = mem_printf("%s/sys/kernel/debug/kprobes/blacklist", root);

	return path ? file_read(AT_FDCWD, path, list) : -ENOMEM;
}

/* Lines are "0xFROM-0xTO\tNAME". */
bool kprobe_blacklist_has(const struct strbuf *list, const char *name)
{
	const char *text = strbuf_str(list), *p = text;
	size_t len = strlen(name);

	for (; len && (p = strstr(p, name)); p += len)
		if (p > text && p[-1] == '\t' && (p[len] == '\n' || !p[len]))
			return true;
	return false;
}
