/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The text for an access to a watched value: "41 -> 42", "7 (unchanged)", "reached". */
#ifndef FATHOM_RENDER_REPORT_WATCH_CHANGE_H
#define FATHOM_RENDER_REPORT_WATCH_CHANGE_H

#include <stdbool.h>
#include <stdint.h>

struct watch_change {
	bool executes; /* an instruction breakpoint */
	bool reads; /* the access may have been a read */
	bool has_old, has_value;
	uint64_t old, value;
	unsigned length; /* of the values in bytes, up to 8 */
	bool hex, utf8;
};

#define WATCH_CHANGE_SIZE 80

void watch_change_print(const struct watch_change *change, char text[WATCH_CHANGE_SIZE]);

#endif
