/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes ELF files with debug information: whatever they contain, frames are complete, or there are
 * none.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/dwarf/source-lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* For LeakSanitizer: libdw leaks memory if debug information is damaged. */
void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));

/* Reads the results, so that sanitizers check them. */
static volatile size_t sum;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct source_frame frames[SOURCE_FRAMES_MAX];
	struct source_lines *lines;
	void *image = malloc(size ? size : 1);

	if (!image)
		return 0;
	if (__lsan_disable)
		__lsan_disable();
	memcpy(image, data, size);
	if (source_lines_new(image, size, &lines) == 0) {
		for (uint64_t address = 0x200; address < 0x280; address += 3) {
			size_t n = source_lines_find(lines, address, frames);

			if (n > SOURCE_FRAMES_MAX)
				abort();
			for (size_t i = 0; i < n; i++)
				sum += (frames[i].file ? strlen(frames[i].file) : 0) +
				       (frames[i].function ? strlen(frames[i].function) : 0);
		}
		source_lines_free(lines);
	}
	if (__lsan_enable)
		__lsan_enable();
	free(image);
	return 0;
}
