/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/help-topics.h"

#include <stddef.h>
#include <string.h>

#include "base/str.h"

/* Generated from the files in data/help. */
extern const char help_filters[], help_formats[], help_kernels[], help_overhead[],
	help_permissions[], help_probes[];

const struct help_topic help_topics[] = {
	{ "filters", "select events", help_filters },
	{ "probes", "trace a function, an instruction or a source line", help_probes },
	{ "formats", "trace files and conversions", help_formats },
	{ "permissions", "what recording and reading require", help_permissions },
	{ "overhead", "what tracing costs, and how to limit it", help_overhead },
	{ "kernels", "supported kernels and features", help_kernels },
	{ 0 },
};

const struct help_topic *help_topic_find(const char *name)
{
	for (const struct help_topic *topic = help_topics; topic->name; topic++)
		if (str_eq(topic->name, name))
			return topic;
	return NULL;
}

const char *help_topic_page(const struct help_topic *topic)
{
	const char *text = topic->text;

	while (*text == '#')
		text = strchrnul(text, '\n') + 1;
	return text;
}
