/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom convert: writes a trace file anew, in another version or compression. */
#include "cli/kit/commands.h"

#include <sys/stat.h>

#include "actions/convert/convert-run.h"

static const struct option_def options[] = {
	OPT_STRING('i', "input", "FILE", struct convert_args, input,
		   "read this file; default is trace.dat"),
	OPT_STRING('o', "output", "FILE", struct convert_args, output, "write this file"),
	OPT_MODE(struct convert_args, mode),
	OPT_CHOICE(0, "file-version", "VERSION", "7 6", struct convert_args, version,
		   "version of the new file; default is 7"),
	OPT_CHOICE(0, "compression", "NAME", "any none zlib zstd", struct convert_args, compression,
		   "compression of the new file; 'any', the default, is zstd, and none for "
		   "version 6"),
	OPT_NUMBER(0, "level", "N", struct convert_args, level,
		   "how hard to compress: 1 is fast; up to 9 for zlib, 19 for zstd"),
	OPT_CHOICE(0, "symbols", "WHICH", "all used", struct convert_args, symbols,
		   "names of the kernel's functions: all, or those that the events refer to, which "
		   "makes a small recording much smaller"),
	OPT_END,
};

const struct command command_convert = {
	.name = "convert",
	.summary = "write a trace file anew, in another version or compression",
	.description = "Reads a trace file and writes all that is in it to another one, which may "
		       "be of another version and compressed in another way. The new file appears "
		       "when it is whole; it may take the place of the old one.",
	.operands = "[OUTPUT]",
	.options = options,
	.args_size = sizeof(struct convert_args),
	.run = convert_run,
};
