/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests with a small ELF file with notes, created byte by byte. */
#include "test.h"

#include <elf.h>

#include "base/cleanup.h"
#include "symbols/probe/usdt.h"

#define _cleanup_arena_ _cleanup_(arena_done)
#define TEXT		0x1000
#define BASE		0x1800
#define NOTES		0x200
#define NAMES		"\0.note.stapsdt\0.stapsdt.base\0.names"

struct image {
	_Alignas(8) unsigned char bytes[4096];
	size_t notes; /* size of the notes in bytes */
};

static void put_note(struct image *image, const char *owner, uint32_t type, const void *desc,
		     size_t len)
{
	unsigned char *p = image->bytes + NOTES + image->notes;
	Elf64_Nhdr head = { (uint32_t)strlen(owner) + 1, (uint32_t)len, type };

	memcpy(p, &head, sizeof(head));
	memcpy(p + sizeof(head), owner, head.n_namesz);
	memcpy(p + sizeof(head) + ((head.n_namesz + 3) & ~3U), desc, len);
	image->notes += sizeof(head) + ((head.n_namesz + 3) & ~3U) + ((len + 3) & ~(size_t)3);
}

static void put_marker(struct image *image, uint64_t address, uint64_t counter, const char *texts,
		       size_t len)
{
	unsigned char desc[256];
	/* The file was relocated by 16 afterwards. */
	const uint64_t words[] = { address - 16, BASE - 16, counter ? counter - 16 : 0 };

	memcpy(desc, words, sizeof(words));
	memcpy(desc + sizeof(words), texts, len);
	put_note(image, "stapsdt", 3, desc, sizeof(words) + len);
}

/* One loaded segment: the file from offset 0, at TEXT. */
static void finish(struct image *image)
{
	Elf64_Ehdr head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
			    .e_type = ET_DYN,
			    .e_machine = EM_X86_64,
			    .e_phoff = 64,
			    .e_phentsize = sizeof(Elf64_Phdr),
			    .e_phnum = 1,
			    .e_shoff = 0x80,
			    .e_shentsize = sizeof(Elf64_Shdr),
			    .e_shnum = 4,
			    .e_shstrndx = 3 };
	Elf64_Phdr load = { .p_type = PT_LOAD,
			    .p_flags = PF_R | PF_X,
			    .p_vaddr = TEXT,
			    .p_filesz = sizeof(image->bytes),
			    .p_memsz = sizeof(image->bytes) };
	Elf64_Shdr sections[4] = {
		[1] = { .sh_name = 1,
			.sh_type = SHT_NOTE,
			.sh_offset = NOTES,
			.sh_size = image->notes },
		[2] = { .sh_name = 15, .sh_type = SHT_PROGBITS, .sh_addr = BASE, .sh_size = 1 },
		[3] = { .sh_name = 29,
			.sh_type = SHT_STRTAB,
			.sh_offset = 0x180,
			.sh_size = sizeof(NAMES) },
	};

	memcpy(image->bytes, &head, sizeof(head));
	memcpy(image->bytes + 64, &load, sizeof(load));
	memcpy(image->bytes + 0x80, sections, sizeof(sections));
	memcpy(image->bytes + 0x180, NAMES, sizeof(NAMES));
}

static int read_image(const struct image *image, struct arena *arena, struct usdt_marker **ret,
		      size_t *ret_n)
{
	struct elf_source source = { .fd = -1,
				     .bytes = image->bytes,
				     .size = sizeof(image->bytes) };
	struct elf_file file;
	int r = elf_file_init(&file, &source, NULL);

	if (r == 0) {
		r = usdt_read(&file, arena, ret, ret_n);
		elf_file_done(&file);
	}
	return r;
}

#define TEXTS(s) s, sizeof(s)

static void reads_notes(void **state)
{
	_cleanup_arena_ struct arena arena = { 0 };
	static struct image image;
	struct usdt_marker *markers;
	size_t n;

	put_note(&image, "GNU", 3, "abcd", 4);
	put_marker(&image, TEXT + 0x500, TEXT + 0x600, TEXTS("app\0first\0-4@%edi 8@$5"));
	put_marker(&image, TEXT + 0x510, 0, TEXTS("app\0second\0"));
	/* Outside the file, unterminated, unnamed. */
	put_marker(&image, 0x999999, 0, TEXTS("app\0away\0"));
	put_marker(&image, TEXT + 0x520, 0x999999, TEXTS("app\0away\0"));
	put_marker(&image, TEXT + 0x530, 0, "app\0open", 8);
	put_marker(&image, TEXT + 0x530, 0, TEXTS("app\0\0"));
	put_note(&image, "stapsdt", 3, "short", 5);
	put_note(&image, "stapsdt", 4, "another version of such notes", 29);
	finish(&image);
	require(read_image(&image, &arena, &markers, &n) >= 0);
	assert_int_equal(n, 2);
	assert_string_equal(markers[0].provider, "app");
	assert_string_equal(markers[0].name, "first");
	assert_string_equal(markers[0].arguments, "-4@%edi 8@$5");
	assert_int_equal(markers[0].offset, 0x500);
	assert_int_equal(markers[0].counter, 0x600);
	assert_string_equal(markers[1].name, "second");
	assert_string_equal(markers[1].arguments, "");
	assert_int_equal(markers[1].offset, 0x510);
	assert_int_equal(markers[1].counter, 0);
}

static void reads_files_without_notes(void **state)
{
	_cleanup_arena_ struct arena arena = { 0 };
	static struct image image;
	struct usdt_marker *markers;
	size_t n = 1;

	finish(&image);
	if (succeeds(read_image(&image, &arena, &markers, &n) == 0))
		assert_int_equal(n, 0);
}

struct row {
	const char *text;
	uint16_t machine;
	const char *want; /* "OPERAND SIZE SIGNED BASE NUMBER"; "": unavailable */
};

static void check(const struct row *row)
{
	static const char *const operands[] = { "register", "memory", "number" };
	struct usdt_argument a;
	const char *why = NULL;
	char found[128] = "";
	int r = usdt_find_argument(row->text, row->machine, 0, &a, &why);

	if (r == 0)
		snprintf(found, sizeof(found), "%s %u %d %s %lld", operands[a.operand], a.size,
			 a.is_signed, a.base, (long long)a.number);
	else
		assert_true(r == -EINVAL && why && *why);
	if (strcmp(found, row->want) != 0)
		print_message("%s\n", row->text);
	assert_string_equal(found, row->want);
}

static void parses_arguments(void **state)
{
	static const struct row rows[] = {
		{ "-4@%edi", EM_X86_64, "register 4 1 di 0" },
		{ "8@%rax", EM_X86_64, "register 8 0 ax 0" },
		{ "-1@%sil", EM_X86_64, "register 1 1 si 0" },
		{ "2@%r12w", EM_X86_64, "register 2 0 r12 0" },
		{ "8@$5", EM_X86_64, "number 8 0  5" },
		{ "-8@$-5", EM_X86_64, "number 8 1  -5" },
		{ "8@$0xffffffffffffffff", EM_X86_64, "number 8 0  -1" },
		{ "8@-16(%rbp)", EM_X86_64, "memory 8 0 bp -16" },
		{ "4@(%rsp)", EM_X86_64, "memory 4 0 sp 0" },
		{ "4@0x10(%r8)", EM_X86_64, "memory 4 0 r8 16" },
		{ "8@8(%rax,%rbx,4)", EM_X86_64, "" },
		{ "8@counter+8(%rip)", EM_X86_64, "" },
		{ "8@%xmm0", EM_X86_64, "" },
		{ "8@%fs:16", EM_X86_64, "" },
		{ "8f@%xmm0", EM_X86_64, "" },
		{ "3@%eax", EM_X86_64, "" },
		{ "-9223372036854775808@%eax", EM_X86_64, "" },
		{ "8@", EM_X86_64, "" },
		{ "8@(", EM_X86_64, "" },
		{ "8@$", EM_X86_64, "" },
		{ "8@%", EM_X86_64, "" },
		{ "%eax", EM_X86_64, "" },
		{ "8@%rax", EM_386, "" },
		{ "-4@w3", EM_AARCH64, "register 4 1 x3 0" },
		{ "8@sp", EM_AARCH64, "register 8 0 sp 0" },
		{ "8@[sp]", EM_AARCH64, "memory 8 0 sp 0" },
		{ "8@[x29, -20]", EM_AARCH64, "memory 8 0 x29 -20" },
		{ "8@[x29,#24]", EM_AARCH64, "memory 8 0 x29 24" },
		{ "8@-7", EM_AARCH64, "number 8 0  -7" },
		{ "8@x31", EM_AARCH64, "" },
		{ "8@[x29, x3]", EM_AARCH64, "" },
		{ "8@[", EM_AARCH64, "" },
		{ "8@[x1, ]", EM_AARCH64, "" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check(&rows[i]);
}

static void counts_arguments(void **state)
{
	struct usdt_argument a;
	const char *why;

	assert_int_equal(usdt_count_arguments(""), 0);
	assert_int_equal(usdt_count_arguments("  "), 0);
	assert_int_equal(usdt_count_arguments("8@%rax"), 1);
	assert_int_equal(usdt_count_arguments(" 8@[sp, 8]  8@x1 "), 2);
	assert_int_equal(usdt_find_argument("8@[sp, 8] 4@x1", EM_AARCH64, 1, &a, &why), 0);
	assert_string_equal(a.base, "x1");
	assert_int_equal(usdt_find_argument("8@[sp, 8] 4@x1", EM_AARCH64, 2, &a, &why), -ENOENT);
}

static int whole(void *arg)
{
	_cleanup_arena_ struct arena arena = { 0 };
	struct usdt_marker *markers;
	size_t n;

	return read_image(arg, &arena, &markers, &n);
}

static void survives_failing_allocations(void **state)
{
	static struct image image;

	put_marker(&image, TEXT + 0x500, 0, TEXTS("app\0first\0-4@%edi 8@$5"));
	finish(&image);
	oom_check(whole, &image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_notes),
		cmocka_unit_test(reads_files_without_notes),
		cmocka_unit_test(parses_arguments),
		cmocka_unit_test(counts_arguments),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests_name("usdt", tests, NULL, NULL);
}
