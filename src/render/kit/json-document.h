/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The common members of all JSON documents: schema number and program version at the beginning, and
 * what is missing from the answer at the end. fathom-json(5) describes both.
 */
#ifndef FATHOM_RENDER_KIT_JSON_DOCUMENT_H
#define FATHOM_RENDER_KIT_JSON_DOCUMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "render/kit/json-csv.h"
#include "render/kit/json.h"

/* Raised when a member of a document is removed or changes its meaning. */
#define JSON_SCHEMA 1

/*
 * What is missing from an answer. Zero-initialized: nothing, and it does not concern a recording.
 */
struct completeness {
	bool of_recording;
	bool lost_known; /* lost events were counted */
	bool lost_more; /* more than @lost, by an unknown number */
	uint64_t lost;
	bool damaged; /* parts of the file cannot be read */
	bool unfinished; /* the recorder did not finish the file */
	bool cut; /* reading was interrupted */
	bool time_range; /* the answer is limited to a time range */
	bool filtered; /* ...or to some events, tasks, CPUs or buffers */
	bool some_tasks, some_cpus; /* the recording is limited to them */
	bool hidden_interrupts; /* interrupts that occurred while the recorder ran were not recorded */
	bool unreadable; /* the caller may not read all of the machine's state */
	bool uncounted; /* of a count: events that were not counted */
};

/* Adds what is missing from @other, for an answer derived from both. */
void completeness_add(struct completeness *completeness, const struct completeness *other);
/* Writes the member "completeness"; NULL: nothing is missing. */
void completeness_json(const struct completeness *completeness, struct json *json);

/* Begins a document with its common members. */
void json_document_begin(struct json *json, struct strbuf *buf, bool pretty);
/* The same, but writes one table of the document as CSV to @buf if @csv is not NULL. */
void json_document_begin_csv(struct json *json, struct strbuf *buf, struct json_csv *csv);
void json_document_end(struct json *json, const struct completeness *completeness);

#endif
