/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Event formats for tests of filters: one field of each kind that can be compared. */
#ifndef FATHOM_TESTS_FILTER_FORMATS_H
#define FATHOM_TESTS_FILTER_FORMATS_H

#define FILTER_COMMON                                                                  \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const struct {
	const char *system;
	const char *text;
} filter_formats[] = {
	{ "sched", "name: sched_switch\nID: 1\n" FILTER_COMMON
		   "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:1;\n"
		   "\tfield:int prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		   "\tfield:u8 tiny;\toffset:28;\tsize:1;\tsigned:0;\n"
		   "\tfield:s8 tiny_signed;\toffset:29;\tsize:1;\tsigned:1;\n"
		   "\tfield:u16 small;\toffset:30;\tsize:2;\tsigned:0;\n"
		   "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
		   "\tfield:unsigned int flags;\toffset:40;\tsize:4;\tsigned:0;\n"
		   "\tfield:__data_loc char[] name;\toffset:44;\tsize:4;\tsigned:1;\n"
		   "\tfield:u64 large;\toffset:48;\tsize:8;\tsigned:0;\n\n"
		   "print fmt: \"%d\", REC->prev_pid\n" },
	{ "sched", "name: sched_wakeup\nID: 2\n" FILTER_COMMON
		   "\tfield:char wakee[16];\toffset:8;\tsize:16;\tsigned:1;\n"
		   "\tfield:int prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		   "\tfield:short small;\toffset:28;\tsize:2;\tsigned:1;\n\n"
		   "print fmt: \"%d\", REC->prev_pid\n" },
	{ "ftrace", "name: function\nID: 3\n" FILTER_COMMON
		    "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
		    "\tfield:void * parent_ip;\toffset:16;\tsize:8;\tsigned:0;\n\n"
		    "print fmt: \"%lx\", REC->ip\n" },
};

#define FILTER_FORMATS	   3
#define FILTER_RECORD_SIZE 80

#endif
