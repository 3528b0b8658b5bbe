/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pages of 'fathom help TOPIC'. Their texts are in data/help and compiled in. */
#ifndef FATHOM_CLI_HELP_TOPICS_H
#define FATHOM_CLI_HELP_TOPICS_H

struct help_topic {
	const char *name;
	const char *summary;
	const char *text; /* begins with comment lines */
};

/* Ends with an entry without a name. */
extern const struct help_topic help_topics[];

/* NULL if there is no such topic. */
const struct help_topic *help_topic_find(const char *name);
/* The text without its comments. */
const char *help_topic_page(const struct help_topic *topic);

#endif
