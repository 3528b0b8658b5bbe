/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzzes journals: parsing, and the checks of fields before restoring accesses a file. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/events/added-event.h"
#include "kernel/tracefs/instance-dir.h"
#include "kernel/tracefs/knob-kind.h"
#include "kernel/tracefs/knob.h"
#include "record/session/journal-format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_records_ struct records records = { 0 };
	char name[ADDED_EVENT_NAME_SIZE];

	if (records_parse(data, size, &records, NULL) < 0)
		return 0;
	for (size_t i = 0; i < records.n; i++) {
		for (size_t f = 0; f < records.list[i].nfields; f++) {
			const char *field = records.list[i].field[f];

			/* A path accepted as a knob never leads out of its directory. */
			if (knob_kind_of(field) != KNOB_NONE && strstr(field, ".."))
				if (field[0] == '.' || strstr(field, "/.."))
					abort();
			if (instance_name_is_valid(field) && strchr(field, '/'))
				abort();
			added_event_name(field, name, sizeof(name));
		}
	}
	return 0;
}
