/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf-lookup FILE [DEBUG-ROOT]: prints the findings of fathom's ELF reader in FILE, for comparisons
 * with other programs: "build-id HEX", "base HEX" and "lack TEXT"; then a line "ADDRESS START NAME"
 * or "ADDRESS -" for each hexadecimal address on stdin. For a line "m NAME", it prints the
 * demangled name. With DEBUG-ROOT, debug files in /usr/lib/debug are searched for there instead.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/str.h"
#include "symbols/user/demangle.h"
#include "symbols/elf/elf-symbols.h"

static int open_plain(void *data, const char *path)
{
	const char *root = data, *rest = str_after(path, "/usr/lib/debug");
	_cleanup_free_ char *moved = root && rest ? mem_printf("%s%s", root, rest) : NULL;
	int fd = open(moved ? moved : path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static void print_head(const struct elf_file *file, unsigned lack)
{
	unsigned char id[ELF_BUILD_ID_MAX];
	size_t len = elf_file_build_id(file, id);

	printf("build-id ");
	for (size_t i = 0; i < len; i++)
		printf("%02x", id[i]);
	printf("\nbase %" PRIx64 "\nlack %s\n", elf_file_base(file), elf_symbols_lack_text(lack));
}

static void answer(const struct symbol_table *table, struct demangler *demangler, char *line)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct symbol symbol;
	uint64_t address;

	line[strcspn(line, "\n")] = '\0';
	if (line[0] == 'm') {
		printf("%s\n", demangle(demangler, line + 2, &out) ? strbuf_str(&out) : line + 2);
		return;
	}
	address = strtoull(line, NULL, 16);
	if (symbol_table_find(table, address, &symbol))
		printf("%" PRIx64 " %" PRIx64 " %s\n", address, symbol.start, symbol.name);
	else
		printf("%" PRIx64 " -\n", address);
}

int main(int argc, char **argv)
{
	struct elf_opener opener = { open_plain, argc > 2 ? argv[2] : NULL };
	struct demangler demangler = { 0 };
	struct symbol_table table;
	struct elf_source source;
	struct fathom_err err = { 0 };
	struct elf_file file;
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;
	unsigned lack;
	int fd = argc > 1 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;

	if (fd < 0 || elf_source_fd(fd, &source) < 0 || elf_file_init(&file, &source, &err) < 0 ||
	    elf_symbols_read(&file, argv[1], &opener, &table, &lack) < 0) {
		fprintf(stderr, "elf-lookup: cannot read the file: %s\n", err.message);
		return 1;
	}
	print_head(&file, lack);
	demangler_load(&demangler);
	while (getline(&line, &cap, stdin) > 0)
		answer(&table, &demangler, line);
	demangler_done(&demangler);
	symbol_table_done(&table);
	elf_file_done(&file);
	close(fd);
	return 0;
}
