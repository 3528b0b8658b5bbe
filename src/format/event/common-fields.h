/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The common fields of all events, for the formats of fathom's own events. */
#ifndef FATHOM_FORMAT_EVENT_COMMON_FIELDS_H
#define FATHOM_FORMAT_EVENT_COMMON_FIELDS_H

#define EVENT_COMMON_FIELDS                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;"      \
	"\tsigned:0;\n"                                                        \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"

#endif
