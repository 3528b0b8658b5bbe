/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes function prototypes from type information. Input: the size of the kernel's BTF (2 bytes,
 * little endian), the kernel's BTF, the BTF of a module. Every string in the input is looked up as
 * a function.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/btf/btf-print.h"
#include "symbols/btf/btf.h"

#define NAMES_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[] = "/tmp/fathom-fuzz-btf-XXXXXX";
static int dir = -1;

static void remove_files(void)
{
	unlinkat(dir, "vmlinux", 0);
	unlinkat(dir, "module", 0);
	rmdir(path);
}

static void make_directory(void)
{
	if (!mkdtemp(path))
		abort();
	dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0 || atexit(remove_files))
		abort();
}

static void write_file(const char *name, const uint8_t *data, size_t size)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
}

static void print(struct prototypes *prototypes, const char *module, const char *name)
{
	struct strbuf text = { 0 };
	int n = prototypes_print(prototypes, module, name, &text);

	if (n < 0 || text.len > (size_t)n * 4 * BTF_PRINT_MAX)
		abort();
	for (size_t i = 0; i < text.len; i++)
		if (text.s[i] != '\n' && (text.s[i] < ' ' || text.s[i] > '~'))
			abort();
	strbuf_done(&text);
}

/* The strings are at the end, as in BTF. */
static void print_all(struct prototypes *prototypes, const char *data, size_t size)
{
	size_t end = size;

	for (int i = 0; i < NAMES_MAX && end > 0; i++) {
		size_t start = --end;

		if (data[end] != '\0')
			continue;
		while (start > 0 && data[start - 1] != '\0')
			start--;
		print(prototypes, NULL, data + start);
		print(prototypes, "module", data + start);
		end = start;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct prototypes *prototypes;
	size_t kernel;

	if (size < 2)
		return 0;
	if (dir < 0)
		make_directory();
	kernel = data[0] | (size_t)data[1] << 8;
	data += 2;
	size -= 2;
	if (kernel > size)
		kernel = size;
	write_file("vmlinux", data, kernel);
	write_file("module", data + kernel, size - kernel);
	if (prototypes_new(dir, &prototypes, NULL) == 0) {
		print_all(prototypes, (const char *)data, kernel);
		print_all(prototypes, (const char *)data + kernel, size - kernel);
		prototypes_free(prototypes);
	}
	return 0;
}
