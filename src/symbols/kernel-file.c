/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "symbols/kernel-file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"

/* Where distributions, and those who build kernels, have the file; with the root and the release. */
static const char *const kernel_files[] = {
	"%s/usr/lib/debug/boot/vmlinux-%s",
	"%s/usr/lib/debug/lib/modules/%s/vmlinux",
	"%s/usr/lib/debug/usr/lib/modules/%s/vmlinux",
	"%s/usr/lib/debug/boot/vmlinux-%s.debug",
	"%s/lib/modules/%s/build/vmlinux",
	"%s/boot/vmlinux-%s",
};

static bool has_debug_information(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct elf_source source;
	struct elf_file file;
	bool has;

	if (fd < 0 || elf_source_fd(fd, &source) < 0 || elf_file_init(&file, &source, NULL) < 0)
		return false;
	has = elf_file_named(&file, ".debug_info");
	elf_file_done(&file);
	return has;
}

bool kernel_file_find(const char *root, const char *release, char *path, size_t size)
{
	for (size_t i = 0; i < ARRAY_SIZE(kernel_files); i++) {
		int n = snprintf(path, size, kernel_files[i], root, release);

		if (n > 0 && (size_t)n < size && has_debug_information(path))
			return true;
	}
	return false;
}

bool kernel_file_is_running(const char *root, const struct elf_file *elf)
{
	unsigned char running[ELF_BUILD_ID_MAX], id[ELF_BUILD_ID_MAX];
	_cleanup_strbuf_ struct strbuf notes = { 0 };
	char path[PATH_MAX];
	size_t n, len;

	snprintf(path, sizeof(path), "%s/sys/kernel/notes", root);
	if (file_read(AT_FDCWD, path, &notes) < 0 || !notes.s)
		return false;
	n = elf_notes_build_id(elf, (const unsigned char *)notes.s, notes.len, running);
	len = elf_file_build_id(elf, id);
	return n && n == len && memcmp(id, running, n) == 0;
}
