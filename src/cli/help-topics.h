/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pages of 'fathom help TOPIC'. Their texts are in data/help and compiled into the program. */
#ifndef FATHOM_CLI_HELP_TOPICS_H
#define FATHOM_CLI_HELP_TOPICS_H

struct help_topic {
	const char *name;
	const char *summary;
	const char *text; /* starts with comment lines */
};

/* Ends with an entry without a name. */
extern const struct help_topic help_topics[];

/* Returns NULL if there is no such topic. */
const struct help_topic *help_topic_find(const char *name);
/* Returns the text without its comments. */
const char *help_topic_page(const struct help_topic *topic);

#endif
