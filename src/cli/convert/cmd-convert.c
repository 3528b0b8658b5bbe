/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom convert: rewrite a trace file: version, compression, symbols. */
#include "cli/kit/commands.h"

#include <sys/stat.h>

#include "actions/convert/convert-run.h"

static const struct option_def options[] = {
	OPT_STRING('i', "input", "FILE", struct convert_args, input,
		   "trace file to read (default: trace.dat)"),
	OPT_STRING('o', "output", "FILE", struct convert_args, output, "same as OUTPUT"),
	OPT_MODE(struct convert_args, mode),
	OPT_CHOICE(0, "file-version", "VERSION", "7 6", struct convert_args, version,
		   "version of the output (default: 7)"),
	OPT_CHOICE(0, "compression", "NAME", CONVERT_COMPRESSIONS, struct convert_args, compression,
		   "compression of the output (default: zstd, or none for version 6)"),
	OPT_NUMBER(0, "level", "N", struct convert_args, level,
		   "compression level, from 1, the fastest, to 9 for zlib or 19 for zstd"),
	OPT_CHOICE(
		0, "symbols", "WHICH", CONVERT_SYMBOLS, struct convert_args, symbols,
		"kernel symbols to keep; used: those that the events refer to, which makes a short "
		"recording much smaller (default: all)"),
	OPT_END,
};

const struct command command_convert = {
	.name = "convert",
	.summary = "rewrite a trace file: version, compression, symbols",
	.description = "Writes all contents of a trace file to OUTPUT, with another version or "
		       "compression. OUTPUT is replaced when the new file is complete, and may "
		       "be the input.",
	.operands = "[OUTPUT]",
	.options = options,
	.args_size = sizeof(struct convert_args),
	.run = convert_run,
};
