/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Creates ELF files byte by byte, for both classes and byte orders. */
#include "test.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include "base/cleanup.h"
#include "base/negative-errno.h"
#include "symbols/elf/elf-symbols.h"

#define TEXT_ADDRESS 0x401000
#define TEXT_SIZE    0x1000

struct form {
	bool is_64, is_big;
};

static const struct form forms[] = { { true, false },
				     { true, true },
				     { false, false },
				     { false, true } };

/* A file under construction. */
struct writer {
	struct form form;
	unsigned char bytes[4096];
	size_t n;
};

static void put(struct writer *w, uint64_t value, size_t size)
{
	assert_true(w->n + size <= sizeof(w->bytes));
	for (size_t i = 0; i < size; i++)
		w->bytes[w->n++] =
			(unsigned char)(value >> 8 * (w->form.is_big ? size - 1 - i : i));
}

/* Writes a number of 4 or 8 bytes, depending on the class. */
static void put_word(struct writer *w, uint64_t value)
{
	put(w, value, w->form.is_64 ? 8 : 4);
}

static void put_bytes(struct writer *w, const void *bytes, size_t size)
{
	assert_true(w->n + size <= sizeof(w->bytes));
	memcpy(w->bytes + w->n, bytes, size);
	w->n += size;
}

static void put_head(struct writer *w, unsigned sections)
{
	const unsigned char ident[EI_NIDENT] = { 0x7f,
						 'E',
						 'L',
						 'F',
						 w->form.is_64 ? ELFCLASS64 : ELFCLASS32,
						 w->form.is_big ? ELFDATA2MSB : ELFDATA2LSB,
						 1 };
	size_t head = w->form.is_64 ? 64 : 52, segment = w->form.is_64 ? 56 : 32;

	put_bytes(w, ident, sizeof(ident));
	put(w, ET_DYN, 2);
	put(w, EM_X86_64, 2);
	put(w, 1, 4);
	put_word(w, 0);
	put_word(w, head);
	put_word(w, head + segment);
	put(w, 0, 4);
	put(w, head, 2);
	put(w, segment, 2);
	put(w, 1, 2);
	put(w, w->form.is_64 ? 64 : 40, 2);
	put(w, sections, 2);
	put(w, 1, 2);
}

static void put_segment(struct writer *w)
{
	put(w, PT_LOAD, 4);
	if (w->form.is_64)
		put(w, PF_R | PF_X, 4);
	put_word(w, 0x1000); /* offset */
	put_word(w, TEXT_ADDRESS);
	put_word(w, TEXT_ADDRESS);
	put_word(w, TEXT_SIZE);
	put_word(w, TEXT_SIZE);
	if (!w->form.is_64)
		put(w, PF_R | PF_X, 4);
	put_word(w, 0x1000);
}

static void put_section(struct writer *w, unsigned name, unsigned type, uint64_t flags,
			uint64_t address, uint64_t offset, uint64_t size, unsigned link)
{
	put(w, name, 4);
	put(w, type, 4);
	put_word(w, flags);
	put_word(w, address);
	put_word(w, offset);
	put_word(w, size);
	put(w, link, 4);
	put(w, 0, 4);
	put_word(w, 1);
	put_word(w, 0);
}

static void put_symbol(struct writer *w, unsigned name, unsigned info, unsigned section,
		       uint64_t value, uint64_t size)
{
	put(w, name, 4);
	if (w->form.is_64) {
		put(w, info, 1);
		put(w, 0, 1);
		put(w, section, 2);
		put(w, value, 8);
		put(w, size, 8);
	} else {
		put(w, value, 4);
		put(w, size, 4);
		put(w, info, 1);
		put(w, 0, 1);
		put(w, section, 2);
	}
}

static const char names[] =
	"\0first\0_alias\0alias\0weak_alias\0label\0inner\0outer\0nosize@@V_1\0data\0$x";
enum {
	FIRST = 1,
	ALIAS_ = 7,
	ALIAS = 14,
	WEAK = 20,
	LABEL = 31,
	INNER = 37,
	OUTER = 43,
	NOSIZE = 49,
	DATA = 61,
	MAPPING = 66
};
static const char section_names[] = "\0.names\0.text\0.symtab\0.note.gnu.build-id\0.gnu_debuglink";

enum {
	SECTIONS = 7
};
#define INFO(bind, type) ELF64_ST_INFO(STB_##bind, STT_##type)

/* Writes a file with all sources of symbols. */
static void write_file(struct writer *w, struct form form)
{
	size_t entry = form.is_64 ? 24 : 16, section = form.is_64 ? 64 : 40;
	size_t head = form.is_64 ? 64 + 56 : 52 + 32;
	size_t data = head + SECTIONS * section, strings, symbols, note, link;

	*w = (struct writer){ .form = form };
	strings = data + sizeof(section_names);
	symbols = strings + sizeof(names);
	note = symbols + 11 * entry;
	link = note + 12 + 4 + 4;
	put_head(w, SECTIONS);
	put_segment(w);
	put_section(w, 0, SHT_NULL, 0, 0, 0, 0, 0);
	put_section(w, 1, SHT_STRTAB, 0, 0, data, sizeof(section_names), 0);
	put_section(w, 8, SHT_PROGBITS, SHF_EXECINSTR | SHF_ALLOC, TEXT_ADDRESS, 0x1000, TEXT_SIZE,
		    0);
	put_section(w, 14, SHT_SYMTAB, 0, 0, symbols, 11 * entry, 4);
	put_section(w, 1, SHT_STRTAB, 0, 0, strings, sizeof(names), 0);
	put_section(w, 22, SHT_NOTE, 0, 0, note, 12 + 4 + 4, 0);
	put_section(w, 41, SHT_PROGBITS, 0, 0, link, 12, 0);
	put_bytes(w, section_names, sizeof(section_names));
	put_bytes(w, names, sizeof(names));
	put_symbol(w, 0, 0, 0, 0, 0);
	put_symbol(w, FIRST, INFO(LOCAL, FUNC), 2, TEXT_ADDRESS, 0x10);
	put_symbol(w, WEAK, INFO(WEAK, FUNC), 2, TEXT_ADDRESS + 0x20, 0x10);
	put_symbol(w, ALIAS_, INFO(GLOBAL, FUNC), 2, TEXT_ADDRESS + 0x20, 0x10);
	put_symbol(w, ALIAS, INFO(GLOBAL, FUNC), 2, TEXT_ADDRESS + 0x20, 0x10);
	put_symbol(w, LABEL, INFO(LOCAL, NOTYPE), 2, TEXT_ADDRESS + 0x24, 0);
	put_symbol(w, OUTER, INFO(GLOBAL, FUNC), 2, TEXT_ADDRESS + 0x40, 0x40);
	put_symbol(w, INNER, INFO(LOCAL, FUNC), 2, TEXT_ADDRESS + 0x50, 0x10);
	put_symbol(w, NOSIZE, INFO(GLOBAL, NOTYPE), 2, TEXT_ADDRESS + 0x800, 0);
	put_symbol(w, DATA, INFO(GLOBAL, OBJECT), 2, TEXT_ADDRESS + 0x900, 8);
	put_symbol(w, MAPPING, INFO(LOCAL, NOTYPE), 2, TEXT_ADDRESS + 0x900, 0);
	put(w, 4, 4);
	put(w, 4, 4);
	put(w, NT_GNU_BUILD_ID, 4);
	put_bytes(w, "GNU\0\xab\xcd\xef\x01", 8);
	put_bytes(w, "x.debug", 8);
	put(w, 0x12345678, 4);
}

static struct elf_source source_of(const struct writer *w)
{
	return (struct elf_source){ .fd = -1, .bytes = w->bytes, .size = w->n };
}

static int load(const struct writer *w, struct symbol_table *table, unsigned *lack)
{
	struct elf_source source = source_of(w);
	struct elf_file file;
	int r = elf_file_init(&file, &source, NULL);

	if (r < 0)
		return r;
	r = elf_symbols_read(&file, "/x/y", NULL, table, lack);
	elf_file_done(&file);
	return r;
}

static void expect(const struct symbol_table *table, uint64_t offset, const char *name,
		   uint64_t start)
{
	struct symbol symbol;

	if (!name) {
		assert_false(symbol_table_find(table, TEXT_ADDRESS + offset, &symbol));
		return;
	}
	assert_true(symbol_table_find(table, TEXT_ADDRESS + offset, &symbol));
	assert_string_equal(symbol.name, name);
	assert_int_equal(symbol.start, TEXT_ADDRESS + start);
}

static void finds_functions_in_all_forms(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct symbol_table table;
		struct writer w;
		unsigned lack = 99;

		write_file(&w, forms[i]);
		require(load(&w, &table, &lack) != -ENOMEM);
		assert_int_equal(lack, 0);
		expect(&table, 0, "first", 0);
		expect(&table, 0xf, "first", 0);
		expect(&table, 0x10, NULL, 0);
		/* Global, strong, with fewer underscores; labels inside are ignored. */
		expect(&table, 0x20, "alias", 0x20);
		expect(&table, 0x28, "alias", 0x20);
		/* A function inside another one. */
		expect(&table, 0x4f, "outer", 0x40);
		expect(&table, 0x50, "inner", 0x50);
		expect(&table, 0x60, "outer", 0x40);
		expect(&table, 0x7f, "outer", 0x40);
		expect(&table, 0x80, NULL, 0);
		/* Without a size: up to the end of its section; the version is removed. */
		expect(&table, 0xfff, "nosize", 0x800);
		expect(&table, 0x1000, NULL, 0);
		symbol_table_done(&table);
	}
}

static void reads_all_symbol_tables(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		unsigned char id[ELF_BUILD_ID_MAX];
		char name[ELF_DEBUGLINK_MAX];
		struct elf_source source;
		struct elf_file file;
		struct writer w;
		uint64_t value;
		uint32_t crc;

		write_file(&w, forms[i]);
		source = source_of(&w);
		require(elf_file_init(&file, &source, NULL) != -ENOMEM);
		assert_int_equal(elf_file_build_id(&file, id), 4);
		assert_memory_equal(id, "\xab\xcd\xef\x01", 4);
		assert_true(elf_file_debuglink(&file, name, &crc));
		assert_string_equal(name, "x.debug");
		assert_int_equal(crc, 0x12345678);
		assert_int_equal(elf_file_base(&file), TEXT_ADDRESS);
		assert_true(elf_file_address(&file, 0x1234, &value));
		assert_int_equal(value, TEXT_ADDRESS + 0x234);
		assert_true(elf_file_offset(&file, TEXT_ADDRESS + 0x234, &value));
		assert_int_equal(value, 0x1234);
		assert_false(elf_file_address(&file, 0x2000, &value));
		assert_false(elf_file_address(&file, 0xfff, &value));
		elf_file_done(&file);
	}
}

static void rejects_other_files(void **state)
{
	struct fathom_err err = { 0 };
	struct elf_source source = { .fd = -1,
				     .bytes = (const unsigned char *)"#!/bin/sh\n",
				     .size = 10 };
	struct elf_file file;

	assert_int_equal(elf_file_init(&file, &source, &err), -ENOEXEC);
	assert_string_equal(err.message, "not an ELF file");
}

/* Damages each byte of the file in several ways; must yield a table or an error. */
static void survives_damage(void **state)
{
	static const unsigned char values[] = { 0, 1, 0x7f, 0x80, 0xff };

	for (size_t form = 0; form < ARRAY_SIZE(forms); form++) {
		struct writer w;

		write_file(&w, forms[form]);
		for (size_t i = 0; i < w.n; i++) {
			unsigned char was = w.bytes[i];

			for (size_t v = 0; v < sizeof(values); v++) {
				struct symbol_table table;
				struct symbol symbol;
				unsigned lack;

				w.bytes[i] = values[v];
				if (load(&w, &table, &lack) < 0)
					continue;
				symbol_table_find(&table, TEXT_ADDRESS, &symbol);
				symbol_table_done(&table);
			}
			w.bytes[i] = was;
		}
	}
}

/* Returns a copy of the file as debug file, with a wrong checksum. */
static int open_copy(void *data, const char *path)
{
	int fd;

	if (strcmp(path, "/x/x.debug") != 0)
		return -ENOENT;
	fd = open((const char *)data, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? negative_errno() : fd;
}

static void write_to(const char *path, const struct writer *w)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, w->bytes, w->n), (ssize_t)w->n);
}

static void checks_the_debug_file(void **state)
{
	char path[4096];
	struct elf_opener opener = { open_copy, path };
	struct writer w, stripped;
	struct elf_source source;
	struct symbol_table table;
	struct elf_file file;
	unsigned lack;
	uint32_t crc;

	snprintf(path, sizeof(path), "%s/x.debug", tree_make());
	write_file(&w, forms[0]);
	write_to(path, &w);
	stripped = w;
	/* The type of the symbol table's section. */
	stripped.bytes[64 + 56 + 3 * 64 + 4] = SHT_PROGBITS;
	source = source_of(&stripped);
	if (succeeds(elf_file_init(&file, &source, NULL) == 0)) {
		if (succeeds(elf_symbols_read(&file, "/x/y", &opener, &table, &lack) == 0)) {
			assert_int_equal(lack, ELF_LACK_SYMTAB | ELF_LACK_DEBUG_CRC);
			assert_int_equal(table.n, 0);
			symbol_table_done(&table);
		}
		elf_file_done(&file);
	}
	crc = (uint32_t)crc32(0, w.bytes, (uInt)w.n);
	stripped.n -= 4;
	put(&stripped, crc, 4);
	if (succeeds(elf_file_init(&file, &source, NULL) == 0)) {
		if (succeeds(elf_symbols_read(&file, "/x/y", &opener, &table, &lack) == 0)) {
			assert_int_equal(lack, 0);
			expect(&table, 0x20, "alias", 0x20);
			symbol_table_done(&table);
		}
		elf_file_done(&file);
	}
	tree_remove();
}

static int load_op(void *arg)
{
	struct symbol_table table;
	unsigned lack;
	int r = load(arg, &table, &lack);

	if (r == 0)
		symbol_table_done(&table);
	return r;
}

static void survives_failing_allocations(void **state)
{
	struct writer w;

	write_file(&w, forms[0]);
	oom_check(load_op, &w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_functions_in_all_forms),
		cmocka_unit_test(reads_all_symbol_tables),
		cmocka_unit_test(rejects_other_files),
		cmocka_unit_test(survives_damage),
		cmocka_unit_test(checks_the_debug_file),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
