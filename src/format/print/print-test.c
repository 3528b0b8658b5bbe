/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One record, many expressions. Fields: u8 b = 0xfe, s8 sb = -2, u16 h = 0x1234,
 * s32 i = -7, u32 u = 9, u64 q, ptr = 0xffffffff81000010, s = "text", arr = {1,2,3,4},
 * mac, ip6, dyn = "dynamic", nums = {5, 6, 7}.
 */
#include "format/print.h"

#include "test.h"

#define F(decl, offset, size, sign) \
	"\tfield:" decl ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #sign ";\n"

static const char fields[] = "name: thing\nID: 314\nformat:\n" //
	F("unsigned short common_type", 0, 2, 0) F("int common_pid", 4, 4, 1) //
	F("u8 b", 8, 1, 0) F("s8 sb", 9, 1, 1) F("u16 h", 10, 2, 0) F("int i", 12, 4, 1) //
	F("unsigned int u", 16, 4, 0) F("const char * str", 24, 8, 0) F("u64 q", 32, 8, 0) //
	F("void * ptr", 40, 8, 0) F("u32 * words", 40, 8, 0) F("void ** ptrs", 40, 8, 0) //
	F("char s[8]", 48, 8, 0) F("u32 arr[4]", 56, 16, 0) //
	F("u8 mac[6]", 72, 6, 0) F("u8 ip6[16]", 80, 16, 0) //
	F("__data_loc char[] dyn", 96, 4, 0) F("__rel_loc u16[] nums", 100, 4, 0) //
	F("__data_loc unsigned long[] mask", 104, 4, 0) F("u8 sa[28]", 108, 28, 0) //
	F("__data_loc u8[] cdb", 136, 4, 0);

struct fixture {
	unsigned char record[256];
	size_t len;
	struct event_abi abi;
	struct print_env env;
	struct print_names names;
};

static void put(struct fixture *f, size_t at, unsigned size, uint64_t value)
{
	for (unsigned i = 0; i < size; i++)
		f->record[at + i] =
			(unsigned char)(value >> 8 * (f->abi.big_endian ? size - 1 - i : i));
}

static const char *symbol(const void *data, uint64_t addr, uint64_t *ret_start)
{
	if (addr < 0xffffffff81000000 || addr >= 0xffffffff81001000)
		return NULL;
	*ret_start = 0xffffffff81000000;
	return "vfs_read";
}

static const char *printk(const void *data, uint64_t addr)
{
	return addr == 0xabc0 ? "say \\\"%s\\\" %d %c %hx %lld %ps %pM|%5u%%\\n" : NULL;
}

static bool constant(const void *data, const char *name, size_t len, int64_t *ret_value)
{
	*ret_value = 3;
	return len == 9 && memcmp(name, "MY_NUMBER", 9) == 0;
}

static void fixture_init(struct fixture *f, bool big)
{
	static const unsigned char mac[6] = { 0, 0x1b, 0x21, 0xab, 0xcd, 0xef };

	memset(f, 0, sizeof(*f));
	f->abi = (struct event_abi){ .long_size = 8, .big_endian = big };
	f->env = (struct print_env){ .symbol = symbol, .printk = printk, .hz = 250 };
	f->names = (struct print_names){ .constant = constant };
	put(f, 4, 4, 77);
	put(f, 8, 1, 0xfe);
	put(f, 9, 1, 0xfe);
	put(f, 10, 2, 0x1234);
	put(f, 12, 4, (uint64_t)-7);
	put(f, 16, 4, 9);
	put(f, 24, 8, 0x1234567890);
	put(f, 32, 8, 1ULL << 63 | 5);
	put(f, 40, 8, 0xffffffff81000010);
	memcpy(f->record + 48, "text", 5);
	for (unsigned i = 0; i < 4; i++)
		put(f, 56 + 4 * i, 4, i + 1);
	memcpy(f->record + 72, mac, 6);
	f->record[80] = 0xfe;
	f->record[81] = 0x80;
	f->record[95] = 1;
	put(f, 96, 4, 8 << 16 | 144);
	memcpy(f->record + 144, "dynamic", 8);
	put(f, 100, 4, 6 << 16 | (152 - 104));
	put(f, 152, 2, 5);
	put(f, 154, 2, 6);
	put(f, 156, 2, 7);
	put(f, 104, 4, 16 << 16 | 160);
	put(f, 160, 8, 0xf1);
	put(f, 168, 8, 1);
	put(f, 108, 2, 2);
	f->record[110] = 0;
	f->record[111] = 80;
	f->record[112] = 10;
	f->record[115] = 1;
	put(f, 136, 4, 10 << 16 | 176);
	memcpy(f->record + 176, "\x28\x20\x00\x00\x01\x02\x00\x00\x08\x00", 10);
	f->len = 188;
}

/* What to print: the text or the fields. */
enum how {
	TEXT,
	FIELDS,
	FIELDS_AND_ADDRESSES
};

static int compile(const struct fixture *f, enum how how, const struct event_format *format,
		   struct arena *arena, const struct print_program **ret_program,
		   struct fathom_err *err)
{
	if (how == TEXT)
		return event_print_compile(format, &f->names, arena, ret_program, err);
	return event_print_compile_fields(format, how == FIELDS_AND_ADDRESSES, arena, ret_program,
					  err);
}

static void print_how(const struct fixture *f, enum how how, const char *print, char *buf,
		      size_t size)
{
	struct arena arena = { 0 };
	const struct print_program *program;
	struct event_format *format;
	struct fathom_err err = { 0 };
	struct text text;
	char all[8192];

	(void)snprintf(all, sizeof(all), "%s\nprint fmt: %s\n", fields, print);
	text_init(&text, buf, size);
	if (event_format_parse(all, strlen(all), "sys", f->abi, &arena, &format, &err) < 0 ||
	    compile(f, how, format, &arena, &program, &err) < 0)
		text_str(&text, fathom_err_text(&err));
	else
		event_print(program, &f->env, f->record, f->len, &text);
	(void)text_end(&text);
	arena_done(&arena);
}

static void print_with(const struct fixture *f, const char *print, char *buf, size_t size)
{
	print_how(f, TEXT, print, buf, size);
}

#define EXPECT(f, want, ...)                                     \
	do {                                                     \
		char buf_[1024];                                 \
		print_with(f, #__VA_ARGS__, buf_, sizeof(buf_)); \
		assert_string_equal(buf_, want);                 \
	} while (0)

static void numbers_follow_c(void **state)
{
	struct fixture f;

	for (int big = 0; big < 2; big++) {
		fixture_init(&f, big);
		EXPECT(&f, "254 -2 4660 -7 9", "%d %d %u %d %u", REC->b, REC->sb, REC->h, REC->i,
		       REC->u);
		EXPECT(&f, "fffffffe fe -7 -7", "%x %hhx %ld %lld", REC->sb, REC->sb, (long)REC->i,
		       (s64)REC->i);
		EXPECT(&f, "4294967289 4294967289", "%lu %lu", (unsigned long)(unsigned int)REC->i,
		       (u64)(u32)REC->i);
		EXPECT(&f, "1 0 1 0", "%d %d %d %d", REC->i < 0, REC->i < REC->u,
		       REC->i < (int)REC->u, REC->u < 9);
		EXPECT(&f, "-3 -1 2 14", "%d %d %d %d", REC->i / 2, REC->i % 2, 1 + 2 * 3 - 5,
		       2 | 4 ^ 8);
		EXPECT(&f, "-4 1fffffff 2 36", "%d %x %d %d", REC->i >> 1, (u32)REC->i >> 3,
		       !0 + !!2, 9 << 2);
		EXPECT(&f, "? ? ?", "%d %d %d", 1 / (REC->u - 9), 1 << (REC->u * 9), 5 % 0);
		EXPECT(&f, "yes no yes", "%s %s %s", REC->u ? "yes" : "no",
		       REC->u && 0 ? "yes" : "no", 0 || REC->u ? "yes" : "no");
		EXPECT(&f, "9 9 7", "%d %d %d", REC->u ?: 4, 0 ?: REC->u, REC->u == 9 ? 7 : 8);
		EXPECT(&f, "5 10 -1", "%d %d %d", ({
			int x = (5);
			x;
		}),
		       ({
			       int a = REC->u;
			       int b = a + 1;
			       b;
		       }),
		       (int)~0U);
		EXPECT(&f, "18446744073709551609", "%llu", REC->i + 0ULL);
		EXPECT(&f, "4 2 8 6 1", "%zu %zu %zu %zu %zu", sizeof(int), sizeof(REC->h),
		       sizeof(void *), sizeof(REC->mac), sizeof(bool));
		EXPECT(&f, "8000000000000005 -9223372036854775803", "%llx %lld", REC->q, REC->q);
		EXPECT(&f, "65 10 9 13 0 39", "%d %d %d %d %d %d", 'A', '\n', '\t', '\r', '\0',
		       '\'');
		EXPECT(&f, "0 9", "%d %d", __builtin_constant_p(REC->u),
		       __builtin_constant_p(REC->u) ? 1 : REC->u);
	}
}

static void conversions_follow_printf(void **state)
{
	struct fixture f;

	fixture_init(&f, false);
	EXPECT(&f, "[   9][9   ][0009][+9][0x9][011]", "[%4d][%-4d][%04d][%+d][%#x][%#o]", REC->u,
	       REC->u, REC->u, REC->u, REC->u, REC->u);
	EXPECT(&f, "[    text][text    ][tex][tex]", "[%8s][%-8s][%.3s][%.*s]", REC->s, REC->s,
	       REC->s, 3, REC->s);
	EXPECT(&f, "[  text][  9][009]", "[%*s][%*d][%0*d]", 6, REC->s, 3, REC->u, 3, REC->u);
	EXPECT(&f, "A 100% B\n", "%c 100%% %c\n", 'A', 66);
	EXPECT(&f, "one two",
	       "one "
	       "two");
	EXPECT(&f, "say \"text\"", "say \"%s\"", REC->s);
	EXPECT(&f, "? 9 ?", "%y %d %d", REC->u, REC->u);
}

static void pointers_are_symbols_and_addresses(void **state)
{
	struct fixture f;

	fixture_init(&f, false);
	EXPECT(&f, "vfs_read+0x10 vfs_read vfs_read+0x10", "%pS %ps %pF", REC->ptr,
	       (void *)REC->ptr, REC->ptr);
	EXPECT(&f, "0x5 0xffffffff81000010 (nil)", "%pS %p %p", (void *)5, REC->ptr, (void *)0);
	/* Pointer arithmetic counts in units of the target. */
	EXPECT(&f, "0xffffffff81000011 0xffffffff81000014 0xffffffff81000018", "%p %p %p",
	       REC->ptr + 1, REC->words + 1, REC->ptrs + 1);
	EXPECT(&f, "? ?", "%pd %pt", REC->ptr, REC->ptr);
	EXPECT(&f, "-12 0xffffffff81000010", "%pe %pe", (void *)-12, REC->ptr);
	EXPECT(&f, "1234567890", "%s", REC->str);
	EXPECT(&f, "1 0 -12", "%d %d %ld", IS_ERR((void *)-12L), IS_ERR(REC->ptr),
	       PTR_ERR((void *)-12L));
}

static void extended_pointers_are_formatted(void **state)
{
	struct fixture f;

	for (int big = 0; big < 2; big++) {
		fixture_init(&f, big);
		EXPECT(&f, "00:1b:21:ab:cd:ef 001b21abcdef ef:cd:ab:21:1b:00 00-1b-21-ab-cd-ef",
		       "%pM %pm %pMR %pMF", REC->mac, REC->mac, REC->mac, REC->mac);
		EXPECT(&f, "fe80::1 fe80:0000:0000:0000:0000:0000:0000:0001", "%pI6c %pI6",
		       REC->ip6, REC->ip6);
		EXPECT(&f, "254.128.0.0 254.128.000.000", "%pI4 %pi4", REC->ip6, REC->ip6);
		EXPECT(&f, "10.0.0.1:80 10.0.0.1", "%pISpc %pIS", REC->sa, REC->sa);
		EXPECT(&f, "fe800000-0000-0000-0000-000000000001", "%pU", REC->ip6);
		EXPECT(&f, "000080FE-0000-0000-0000-000000000001", "%pUL", REC->ip6);
		EXPECT(&f, "00 1b 21:00 1b-21", "%2ph %1phN:%*phD %*phD", REC->mac, REC->mac + 2, 1,
		       REC->mac, 2, &REC->mac[1]);
		EXPECT(&f, "?", "%pM", &REC->ip6[14]);
		EXPECT(&f, "0x8000000000000005", "%pad", &REC->q);
	}
}

static void helpers_print(void **state)
{
	struct fixture f;

	for (int big = 0; big < 2; big++) {
		fixture_init(&f, big);
		EXPECT(&f, "A|D 0x8 A|0x8 ", "%s %s %s %s",
		       __print_flags(REC->u, "|", { 1, "A" }, { 2, "B" }, { 8, "D" }),
		       __print_flags(8, "|", { 1, "A" }),
		       __print_flags(REC->u, "|", { 1UL << 0, "A" }, { -1, NULL }),
		       __print_flags(0, "|", { 0, "NONE" }));
		EXPECT(&f, "nine minus 0xfffffff9 three", "%s %s %s %s",
		       __print_symbolic(REC->u, { 9, "nine" }),
		       __print_symbolic(REC->i, { -7, "minus" }),
		       __print_symbolic(REC->i, { 7, "x" }, { SOME_ENUM, "e" }),
		       __print_symbolic(MY_NUMBER, { 0, "zero" }, { 1, "one" }, { 2, "two" },
					{ 3, "three" }, { 4, "four" }));
		EXPECT(&f, "00 1b 21 001b21", "%s %s", __print_hex(REC->mac, 3),
		       __print_hex_str(REC->mac, 3));
		EXPECT(&f, "? ", "%s %s", __print_hex(REC->mac, 7), __print_hex(REC->mac, -1));
		EXPECT(&f, "{0x1,0x2} {0x5,0x6,0x7}", "%s %s", __print_array(REC->arr, 2, 4),
		       __print_array(__get_rel_dynamic_array(nums),
				     __get_rel_dynamic_array_len(nums) / 2, 2));
		EXPECT(&f, "{0x5,0x6,0x7} ?", "%s %s", __print_dynamic_array(nums, sizeof(u16)),
		       __print_array(REC->arr, 5, 4));
		EXPECT(&f, "dynamic [   dyn] 8 d", "%s [%6.3s] %d %c", __get_str(dyn),
		       __get_str(dyn), __get_dynamic_array_len(dyn), __get_str(dyn)[0]);
		EXPECT(&f, "00000000,00000001,00000000,000000f1 0,4-7,64", "%s %s",
		       __get_bitmask(mask), __get_cpumask(mask));
		EXPECT(&f, "3 2 7 6", "%d %d %d %d", REC->arr[2], *(&REC->arr[1]),
		       ((u16 *)__get_rel_dynamic_array(nums))[2],
		       *(((u16 *)__get_rel_dynamic_array(nums)) + 1));
		EXPECT(&f, "8:3 0,1 lba=258 txlen=8 protect=1", "%s %u,%u %s",
		       jbd2_dev_to_name(8388611), MAJOR(1), MINOR(1),
		       scsi_trace_parse_cdb(p, __get_dynamic_array(cdb), 10));
		EXPECT(&f, "36 2.000000005 (sched_op)", "%u %llu.%09u %s", jiffies_to_msecs(REC->u),
		       __print_ns_to_secs(2000000005ULL), __print_ns_without_secs(2000000005ULL),
		       xen_hypercall_name(29));
		EXPECT(&f, "9 1234 3412 77", "%d %x %x %d", __builtin_expect(REC->u, 1),
		       __builtin_choose_expr(1, REC->h, 2), __builtin_bswap16(REC->h),
		       REC->ent.pid);
		EXPECT(&f, "\n> 00000000: 00 1b 21 ab                                      ..!.\n",
		       "%s", __print_hex_dump("> ", DUMP_PREFIX_OFFSET, 16, 1, REC->mac, 4, 1));
	}
}

/* Copies a command to cdb, and fills the rest of its 32 bytes with zeros. */
static void put_cdb(struct fixture *f, const char *bytes, size_t len)
{
	put(f, 136, 4, len << 16 | 188);
	memset(f->record + 188, 0, 32);
	memcpy(f->record + 188, bytes, len);
	f->len = 188 + 32;
}

#define EXPECT_CDB(f, want, bytes)                                                          \
	do {                                                                                \
		put_cdb(f, bytes, sizeof(bytes) - 1);                                       \
		EXPECT(f, want, "%s",                                                       \
		       scsi_trace_parse_cdb(p, __get_dynamic_array(cdb), REC->b ? 1 : 99)); \
	} while (0)

static void scsi_commands_are_decoded(void **state)
{
	struct fixture f;

	fixture_init(&f, false);
	/* Six bytes: the address has 21 bits, and a count of 0 means 256. */
	EXPECT_CDB(&f, "lba=2097151 txlen=256", "\x08\xff\xff\xff\x00\x00");
	EXPECT_CDB(&f, "lba=16 txlen=8", "\x0a\x00\x00\x10\x08\x00");
	EXPECT_CDB(&f, "-", "\x0a\x00\x00\x10\x08");
	EXPECT_CDB(&f, "regions=2", "\x42\x00\x00\x00\x00\x00\x00\x00\x28\x00");
	EXPECT_CDB(&f, "READ_CAPACITY_16 lba=258 alloc_len=32",
		   "\x9e\x10\x00\x00\x00\x00\x00\x00\x01\x02\x00\x00\x00\x20\x00\x00");
	EXPECT_CDB(&f, "GET_LBA_STATUS lba=0 alloc_len=24",
		   "\x9e\xf2\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x18\x00\x00");
	EXPECT_CDB(&f, "UNKNOWN",
		   "\x9e\x11\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x18\x00\x00");
	EXPECT_CDB(&f, "READ_32 lba=259 txlen=8 protect=1 ei_lbrt=5",
		   "\x7f\x00\x00\x00\x00\x00\x00\x18\x00\x09\x28\x00\x00\x00\x00\x00"
		   "\x00\x00\x01\x03\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00\x08");
	EXPECT_CDB(&f, "WRITE_SAME_32 lba=259 txlen=8 protect=1 ei_lbrt=5 unmap=1",
		   "\x7f\x00\x00\x00\x00\x00\x00\x18\x00\x0d\x28\x00\x00\x00\x00\x00"
		   "\x00\x00\x01\x03\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00\x08");
	EXPECT_CDB(&f, "-",
		   "\x7f\x00\x00\x00\x00\x00\x00\x18\x00\x0c\x28\x00\x00\x00\x00\x00"
		   "\x00\x00\x01\x03\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00\x08");
}

static void stacks_have_one_line_per_frame(void **state)
{
	struct fixture f;

	for (int big = 0; big < 2; big++) {
		fixture_init(&f, big);
		put(&f, 160, 8, 0xffffffff81000010);
		EXPECT(&f, "s\n => vfs_read+0x10\n => 0x1", "s%s", __get_stacktrace(mask));
		f.len = 165;
		EXPECT(&f, "?", "%s", __get_stacktrace(mask));
	}
}

static void unknown_values_are_marked(void **state)
{
	struct fixture f;

	fixture_init(&f, false);
	EXPECT(&f, "? ? ? 9", "%d %p %s %d", SOME_ENUM, base + REC->u, some_function(REC->u),
	       REC->u);
	EXPECT(&f, "? ok ?", "%s %s %s", REC->u == SOME_ENUM ? "a" : "b",
	       REC->u ? "ok" : some_function(1), REC->missing);
	EXPECT(&f, "? ? ?", "%d %d %d", REC->arr[4], REC->arr[-1], REC->str->member);
	EXPECT(&f, "? ?", "%d %s", ({
		int i;
		for (i = 0; i < 3; i++)
			x(i);
		i;
	}),
	       ({
		       char *s;
		       switch (REC->u) {
		       case 1:
			       s = "x";
		       }
		       s;
	       }));
	f.env.hz = 0;
	EXPECT(&f, "?", "%u", jiffies_to_msecs(5));
	f.len = 33;
	EXPECT(&f, "9 ? ? ? ?", "%u %llx %s %s %u", REC->u, REC->q, REC->s, __get_str(dyn),
	       REC->arr[0]);
	f.len = 0;
	EXPECT(&f, "? ?", "%u %d", REC->u, REC->u + 1);
}

static void unusual_formats_are_parsed(void **state)
{
	struct fixture f;
	char buf[256];

	fixture_init(&f, false);
	print_with(&f, "\"name \"%s\" \"%s\"\", REC->s, __get_str(dyn)", buf, sizeof(buf));
	assert_string_equal(buf, "name \"text\" \"dynamic\"");
	print_with(&f, "", buf, sizeof(buf));
	assert_non_null(strstr(buf, " u=9 str=0x1234567890 q=9223372036854775813"));
	print_with(&f, "\"%d\", (unknown_t)REC->u + (struct page *)3 == 1 ? (( gfp_t)1) : (2)", buf,
		   sizeof(buf));
	assert_string_equal(buf, "?");
	print_with(&f, "\"%d %x\", (typeof(REC->u))REC->u, (unknown_t)(REC->h)", buf, sizeof(buf));
	assert_string_equal(buf, "9 1234");
}

static void errors_have_positions(void **state)
{
	static const char *const bad[] = {
		"no string",	 "\"%d\", ",	  "\"%d\", (1",	   "\"%d\", 1 +", "\"open",
		"\"%d\" 1",	 "\"%d\", REC->", "\"%d\", {1, 2", "\"%d\", a[1", "\"%d\", 1 ? 2",
		"\"%d\", 12abc", "\"%d\", 'ab'",  "\"%d\", @",
	};
	struct fixture f;
	char buf[1024];

	fixture_init(&f, false);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		print_with(&f, bad[i], buf, sizeof(buf));
		assert_non_null(strstr(buf, "invalid print expression"));
	}
}

/* Depth and size are limited, regardless of the nesting. */
static void deeply_nested_formats_are_rejected(void **state)
{
	static const char *const units[] = { "(",  "-",	 "!",  "1?",	"1?1:", "a[",	  "{",
					     "f(", "({", "1+", "(int)", "a.",	"sizeof " };
	struct fixture f;
	char print[6000];
	char buf[1024];

	fixture_init(&f, false);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t n = (size_t)snprintf(print, sizeof(print), "\"%%d\", ");

		while (n + strlen(units[i]) < sizeof(print) - 10)
			n += (size_t)snprintf(print + n, sizeof(print) - n, "%s", units[i]);
		(void)snprintf(print + n, sizeof(print) - n, "1");
		print_with(&f, print, buf, sizeof(buf));
		assert_true(strstr(buf, "print expression") || strcmp(buf, "?") == 0);
	}
}

static void long_text_is_truncated(void **state)
{
	struct fixture f;
	char buf[8];

	fixture_init(&f, false);
	print_with(&f, "\"%s %100d %-100s\", __get_str(dyn), REC->u, REC->s", buf, sizeof(buf));
	assert_string_equal(buf, "dynamic");
}

static void bprint_uses_the_format_in_the_kernel(void **state)
{
	static const char text[] = "name: bprint\nID: 6\nformat:\n" F("u64 ip", 8, 8, 0)
		F("const char * fmt", 16, 8, 0)
			F("u32 buf[]", 24, 0, 0) "\nprint fmt: \"%ps: %s\", 1, 2\n";
	const struct print_program *program;
	struct arena arena = { 0 };
	struct event_format *format;
	struct fixture f;
	struct text out;
	char buf[256];

	fixture_init(&f, false);
	memset(f.record, 0, sizeof(f.record));
	put(&f, 8, 8, 0xffffffff81000010);
	put(&f, 16, 8, 0xabc0);
	memcpy(f.record + 24, "hi", 3);
	put(&f, 28, 4, (uint64_t)-5);
	put(&f, 32, 1, 'Z');
	put(&f, 34, 2, 0xbeef);
	put(&f, 36, 8, (uint64_t)-1);
	put(&f, 44, 8, 0xffffffff81000000);
	memcpy(f.record + 52, "00:11", 6);
	put(&f, 60, 4, 42);
	if (event_format_parse(text, strlen(text), "ftrace", f.abi, &arena, &format, NULL) < 0 ||
	    event_print_compile(format, NULL, &arena, &program, NULL) < 0) {
		arena_done(&arena);
		fail_msg("bprint does not compile");
	}
	text_init(&out, buf, sizeof(buf));
	event_print(program, &f.env, f.record, 64, &out);
	assert_string_equal(text_end(&out),
			    "vfs_read: say \"hi\" -5 Z beef -1 vfs_read 00:11|   42%\n");
	text_init(&out, buf, sizeof(buf));
	event_print(program, &f.env, f.record, 34, &out);
	assert_string_equal(text_end(&out), "vfs_read: say \"hi\" -5 Z ? ? ? ?|?%\n");
	put(&f, 16, 8, 1);
	text_init(&out, buf, sizeof(buf));
	event_print(program, &f.env, f.record, 64, &out);
	assert_string_equal(text_end(&out), "vfs_read: (NO FORMAT FOUND at 1)\n");
	arena_done(&arena);
}

static void fields_are_printed_as_in_the_format(void **state)
{
	static const char arrays[] =
		" s=text arr=ARRAY[01, 00, 00, 00, 02, 00, 00, 00, 03, 00, 00, 00, 04, 00, 00, 00]"
		" mac= ip6=ARRAY[fe, 80, 00, 00] dyn=? nums=? mask=? sa=? cdb=?";
	struct fixture f;
	char buf[1024], expected[1024];

	fixture_init(&f, false);
	f.len = 84;
	print_how(&f, FIELDS_AND_ADDRESSES,
		  "\"%03u 0x%llx %ps %x.\", REC->u, REC->q, REC->ptr, REC->i", buf, sizeof(buf));
	(void)snprintf(expected, sizeof(expected),
		       " b=254 sb=-2 h=4660 i=fffffff9 u=009 str=0x1234567890 q=0x8000000000000005"
		       " ptr=vfs_read (0xffffffff81000010) "
		       "words=0xffffffff81000010 ptrs=0xffffffff81000010%s",
		       arrays);
	assert_string_equal(buf, expected);
	/* trace-cmd does not search past the end of the text. */
	print_how(&f, FIELDS, "\"%ps %3d%5u %3d\", REC->ptr, (int)REC->i, REC->h, REC->u", buf,
		  sizeof(buf));
	(void)snprintf(expected, sizeof(expected),
		       " b=254 sb=-2 h= 4660 i= -7 u=  9 str=0x1234567890 q=9223372036854775813"
		       " ptr=0xffffffff81000010 words=0xffffffff81000010 ptrs=0xffffffff81000010%s",
		       arrays);
	assert_string_equal(buf, expected);
	print_how(&f, FIELDS, "\"%ps.\", REC->ptr", buf, sizeof(buf));
	assert_non_null(strstr(buf, " ptr=vfs_read words="));
}

static int compile_once(void *arg)
{
	struct arena arena = { 0 };
	const struct print_program *program;
	struct event_format *format;
	int r = event_format_parse(arg, strlen(arg), "sys", (struct event_abi){ 8, false }, &arena,
				   &format, NULL);

	if (r == 0)
		r = event_print_compile(format, NULL, &arena, &program, NULL);
	if (r == 0)
		r = event_print_compile_fields(format, true, &arena, &program, NULL);
	arena_done(&arena);
	return r;
}

static void take_name(void *data, const char *field, const char *text, size_t len)
{
	text_str(data, field);
	text_char(data, '=');
	text_bytes(data, text, len);
	text_char(data, ' ');
}

static void numbers_have_names(void **state)
{
	static const char print[] =
		"\"%s %s %s %s %s\", __print_flags(REC->u, \"|\", {1, \"A\"}, {2, \"B\"}), "
		"__print_symbolic(REC->i, {-7, \"minus\"}), __print_flags(REC->b & 6, \"|\", {4, \"C\"}), "
		"__print_symbolic(REC->u, {9, \"nine\"}), __print_flags(REC->sb + 1, \"|\", {1, \"E\"})";

	for (int big = 0; big < 2; big++) {
		struct arena arena = { 0 };
		const struct print_program *program;
		struct event_format *format;
		struct fathom_err err = { 0 };
		char all[8192], buf[256];
		struct text text;
		struct fixture f;

		fixture_init(&f, big);
		(void)snprintf(all, sizeof(all), "%s\nprint fmt: %s\n", fields, print);
		require(event_format_parse(all, strlen(all), "sys", f.abi, &arena, &format, &err) ==
			0);
		require(event_print_compile(format, NULL, &arena, &program, &err) == 0);
		text_init(&text, buf, sizeof(buf));
		event_print_names(program, &f.env, f.record, f.len, take_name, &text);
		(void)text_end(&text);
		/* Only the field itself has names, not a value computed from it. */
		assert_string_equal(buf, "u=A|0x8 i=minus b=C|0x2 ");
		/* Fields beyond the end of the record are not known. */
		text_init(&text, buf, sizeof(buf));
		event_print_names(program, &f.env, f.record, 14, take_name, &text);
		(void)text_end(&text);
		assert_string_equal(buf, "b=C|0x2 ");
		arena_done(&arena);
	}
}

static void survives_failing_allocations(void **state)
{
	char all[8192];

	(void)snprintf(
		all, sizeof(all), "%s\nprint fmt: %s\n", fields,
		"\"%s %d %ps %s %6s %*d\", __print_flags(REC->u, \"|\", {1, \"A\"}), "
		"({ int x = 3; x + REC->u; }), REC->ptr, __print_symbolic(REC->u, {1, \"a\"}, "
		"{2, \"b\"}, {3, \"c\"}, {4, \"d\"}), REC->u ? \"x\" : \"y\", 3, (long)REC->i");
	oom_check(compile_once, all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_follow_c),
		cmocka_unit_test(conversions_follow_printf),
		cmocka_unit_test(pointers_are_symbols_and_addresses),
		cmocka_unit_test(extended_pointers_are_formatted),
		cmocka_unit_test(helpers_print),
		cmocka_unit_test(scsi_commands_are_decoded),
		cmocka_unit_test(stacks_have_one_line_per_frame),
		cmocka_unit_test(unknown_values_are_marked),
		cmocka_unit_test(unusual_formats_are_parsed),
		cmocka_unit_test(errors_have_positions),
		cmocka_unit_test(deeply_nested_formats_are_rejected),
		cmocka_unit_test(long_text_is_truncated),
		cmocka_unit_test(bprint_uses_the_format_in_the_kernel),
		cmocka_unit_test(fields_are_printed_as_in_the_format),
		cmocka_unit_test(numbers_have_names),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
