/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests with handmade records of events whose hardware the test machines lack. */
#include "render/report/event-renderer.h"

#include "base/mem.h"
#include "base/text.h"
#include "format/bytes.h"
#include "test.h"

#define FIELD(decl, offset, size) \
	"\tfield:" decl ";\toffset:" #offset ";\tsize:" #size ";\tsigned:0;\n"

struct record {
	struct event_abi abi;
	unsigned char bytes[128];
	uint32_t size;
};

static struct record record_of(uint32_t size)
{
	return (struct record){ .abi = { .long_size = 8, .big_endian = BYTES_HOST_BIG },
				.size = size };
}

static void put(struct record *record, size_t at, unsigned size, uint64_t value)
{
	for (unsigned i = 0; i < size; i++)
		record->bytes[at + i] =
			(unsigned char)(value >> 8 * (record->abi.big_endian ? size - 1 - i : i));
}

/* Checks the text of an event with these fields, and whether the kernel's own text follows. */
static void expect(const char *system, const char *name, const char *fields,
		   const struct record *record, bool kernel_follows, const char *wanted)
{
	struct arena arena = { 0 };
	struct event_format *format = NULL;
	struct event_entry entry = { 0 };
	struct event_plan plan = { .entry = &entry,
				   .same_order = record->abi.big_endian == BYTES_HOST_BIG };
	struct fathom_event event = { .data = record->bytes, .size = record->size };
	struct text text;
	char all[2048], buf[512];
	bool follows;
	int r;

	plan.renderer = event_renderer_find(system, name);
	assert_non_null(plan.renderer);
	(void)snprintf(all, sizeof(all), "name: %s\nID: 1\nformat:\n%s\nprint fmt: \"\"\n", name,
		       fields);
	r = event_format_parse(all, strlen(all), system, record->abi, &arena, &format, NULL);
	assert_true(r == 0 || (r == -ENOMEM && mem_fault));
	if (succeeds(r == 0)) {
		entry.format = format;
		for (unsigned i = 0; i < RENDERER_FIELDS && plan.renderer->fields[i]; i++)
			plan.fields[i] = event_field_find(format, plan.renderer->fields[i]);
		text_init(&text, buf, sizeof(buf));
		follows = plan.renderer->print(
			&(struct rendering){ .plan = &plan, .event = &event, .text = &text });
		(void)text_end(&text);
		assert_string_equal(buf, wanted);
		assert_int_equal(follows, kernel_follows);
	}
	arena_done(&arena);
}

#define EXIT_FIELDS                             \
	FIELD("unsigned int exit_reason", 8, 4) \
	FIELD("u32 isa", 12, 4)                 \
	FIELD("unsigned long guest_rip", 16, 8) FIELD("u64 info1", 24, 8) FIELD("u64 info2", 32, 8)

static void shows_exit_reasons(void **state)
{
	struct record record = record_of(40);

	put(&record, 8, 4, 10);
	put(&record, 12, 4, 1);
	put(&record, 16, 8, 0xfff0);
	put(&record, 24, 8, 0xab);
	expect("kvm", "kvm_exit", EXIT_FIELDS, &record, false, "reason CPUID rip 0xfff0 info ab 0");
	put(&record, 12, 4, 2);
	put(&record, 8, 4, 0x72);
	expect("kvm", "kvm_exit", EXIT_FIELDS, &record, false,
	       "reason EXIT_CPUID rip 0xfff0 info ab 0");
	put(&record, 8, 4, 9999);
	expect("kvm", "kvm_exit", EXIT_FIELDS, &record, false,
	       "reason UNKNOWN (9999) rip 0xfff0 info ab 0");
	put(&record, 12, 4, 3);
	expect("kvm", "kvm_exit", EXIT_FIELDS, &record, false,
	       "reason UNKNOWN-ISA rip 0xfff0 info ab 0");
	/* Older kernels do not record whose numbers these are; they are Intel's. */
	put(&record, 8, 4, 12);
	expect("kvm", "kvm_exit",
	       FIELD("unsigned int exit_reason", 8, 4) FIELD("unsigned long guest_rip", 16, 8),
	       &record, false, "reason HLT rip 0xfff0");
	expect("kvm", "kvm_exit", FIELD("unsigned int exit_reason", 8, 4), &record, true,
	       "reason HLT<CANT FIND FIELD guest_rip>");
	expect("kvm", "kvm_exit", FIELD("unsigned long guest_rip", 16, 8), &record, true,
	       "<CANT FIND FIELD exit_reason>");
}

static void shows_guest_entries(void **state)
{
	struct record record = record_of(24);

	put(&record, 8, 4, 3);
	put(&record, 16, 8, 0xfff0);
	expect("kvm", "kvm_entry",
	       FIELD("unsigned int vcpu_id", 8, 4) FIELD("unsigned long rip", 16, 8), &record,
	       false, " vcpu 3 rip 0xfff0");
	expect("kvm", "kvm_entry", FIELD("unsigned int vcpu_id", 8, 4), &record, true,
	       " vcpu 3<CANT FIND FIELD rip>");
	expect("kvm", "kvm_entry", FIELD("unsigned long rip", 16, 8), &record, false,
	       "CAN'T FIND FIELD \"vcpu_id\" rip 0xfff0");
}

#define NESTED_FIELDS                    \
	FIELD("__u32 exit_code", 8, 4)   \
	FIELD("__u32 isa", 12, 4)        \
	FIELD("__u64 rip", 16, 8)        \
	FIELD("__u64 exit_info1", 24, 8) \
	FIELD("__u64 exit_info2", 32, 8) FIELD("__u32 exit_int_info", 40, 4)

static void shows_exits_of_nested_guests(void **state)
{
	struct record record = record_of(48);

	put(&record, 8, 4, 12);
	put(&record, 12, 4, 1);
	put(&record, 16, 8, 0x1000);
	put(&record, 24, 8, 0x11);
	put(&record, 32, 8, 0x22);
	put(&record, 40, 4, 0x33);
	expect("kvm", "kvm_nested_vmexit", NESTED_FIELDS FIELD("__u32 exit_int_info_err", 44, 4),
	       &record, false, " rip 1000reason HLT info1 11 info2 22 int_info 33 int_info_err 0");
	expect("kvm", "kvm_nested_vmexit_inject", NESTED_FIELDS, &record, false,
	       "reason HLT info1 11 info2 22 int_info 33CAN'T FIND FIELD \"exit_int_info_err\"");
	expect("kvm", "kvm_nested_vmexit", FIELD("__u32 exit_code", 8, 4), &record, true,
	       "<CANT FIND FIELD rip>");
}

#define INSN_FIELDS                  \
	FIELD("__u64 rip", 8, 8)     \
	FIELD("__u32 csbase", 16, 4) \
	FIELD("__u8 len", 20, 1) FIELD("__u8 flags", 36, 1) FIELD("__u8 failed", 37, 1)

static void shows_emulated_instructions(void **state)
{
	struct record record = record_of(40);

	put(&record, 8, 8, 0xfff0);
	put(&record, 16, 4, 0xf0000);
	put(&record, 20, 1, 2);
	record.bytes[21] = 0x0f;
	record.bytes[22] = 0xa2;
	record.bytes[23] = 0xcc;
	expect("kvm", "kvm_emulate_insn", INSN_FIELDS FIELD("__u8 insn[15]", 21, 15), &record,
	       false, "f0000:fff0: 0f a2");
	put(&record, 37, 1, 1);
	/* An untrusted length is limited to the size of the field. */
	put(&record, 20, 1, 200);
	expect("kvm", "kvm_emulate_insn", INSN_FIELDS FIELD("__u8 insn[3]", 21, 3), &record, false,
	       "f0000:fff0: 0f a2 cc FAIL");
	expect("kvm", "kvm_emulate_insn", INSN_FIELDS, &record, true, "<CANT FIND FIELD insn>");
	record.size = 30;
	expect("kvm", "kvm_emulate_insn", INSN_FIELDS, &record, true, "<CANT FIND FIELD flags>");
}

#define PAGE_FIELDS                \
	FIELD("__u64 gfn", 8, 8)   \
	FIELD("__u32 role", 16, 4) \
	FIELD("__u32 root_count", 20, 4) FIELD("bool unsync", 24, 1) FIELD("bool created", 25, 1)

static void shows_shadow_pages(void **state)
{
	struct record record = record_of(32);

	record.abi.big_endian = false;
	put(&record, 8, 8, 0x1234);
	/* level 4, pae, quadrant 2, direct, access wux, nxe, smap, smm */
	put(&record, 16, 4, 4 | 1 << 4 | 2 << 5 | 1 << 7 | 7 << 8 | 1 << 12 | 1 << 15 | 1 << 24);
	put(&record, 20, 4, 5);
	put(&record, 25, 1, 1);
	expect("kvmmmu", "kvm_mmu_get_page", PAGE_FIELDS, &record, false,
	       "new sp gfn 1234 4 q2 direct wux pae nxe !wp smap smm root 5 sync");
	put(&record, 25, 1, 0);
	put(&record, 24, 1, 1);
	put(&record, 16, 4, 1 | 2 << 8 | 1 << 11 | 1 << 13 | 1 << 14);
	expect("kvmmmu", "kvm_mmu_get_page", PAGE_FIELDS, &record, false,
	       "existing sp gfn 1234 1 q0 w-- invalid !pae !nxe wp smep root 5 unsync");
	expect("kvmmmu", "kvm_mmu_zap_page", FIELD("__u32 role", 16, 4), &record, true,
	       "1 q0 w-- invalid !pae !nxe wp smepCAN'T FIND FIELD \"root_count\""
	       "<CANT FIND FIELD unsync>");
	/* Bit fields of the other byte order are not decoded. */
	record.abi.big_endian = true;
	put(&record, 16, 4, 0xab);
	put(&record, 20, 4, 5);
	expect("kvmmmu", "kvm_mmu_sync_page", PAGE_FIELDS, &record, false,
	       "WORD: 000000ab root 5 unsync");
}

#define FLUSH_FIELDS FIELD("int reason", 8, 4) FIELD("unsigned long pages", 16, 8)

static void shows_tlb_flushes(void **state)
{
	struct record record = record_of(24);

	put(&record, 8, 4, 3);
	put(&record, 16, 8, UINT64_MAX);
	expect("tlb", "tlb_flush", FLUSH_FIELDS, &record, false,
	       "pages=-1 reason=local mm shootdown (3)");
	put(&record, 8, 4, 4);
	expect("tlb", "tlb_flush", FLUSH_FIELDS, &record, false, "pages=-1 reason= (4)");
	expect("tlb", "tlb_flush", FIELD("int reason", 8, 4), &record, false,
	       "pages=CAN'T FIND FIELD \"pages\" reason= (4)");
	expect("tlb", "tlb_flush", FIELD("unsigned long pages", 16, 8), &record, true,
	       "pages=-1<CANT FIND FIELD reason>");
}

#define BSS_FIELDS                          \
	FIELD("char wiphy_name[32]", 8, 32) \
	FIELD("u32 vif_type", 40, 4)        \
	FIELD("bool assoc", 44, 1)          \
	FIELD("u16 aid", 48, 2)             \
	FIELD("u32 assoc_cap", 52, 4)       \
	FIELD("u32 basic_rates", 56, 4)     \
	FIELD("bool enable_beacon", 60, 1) FIELD("u16 ht_operation_mode", 62, 2)

static void shows_wireless_settings(void **state)
{
	static const char indent[] =
		"                                                                 ";
	struct record record = record_of(96);
	char wanted[512];

	memcpy(record.bytes + 8, "phy0", 4);
	put(&record, 40, 4, 2);
	put(&record, 44, 1, 1);
	put(&record, 48, 2, 7);
	put(&record, 56, 4, 0x1f);
	put(&record, 60, 1, 1);
	put(&record, 62, 2, 3);
	for (unsigned capable = 0; capable < 2; capable++) {
		put(&record, 52, 4, capable ? 0x31 : 0);
		(void)snprintf(wanted, sizeof(wanted),
			       "phy0 vif:NOTFOUND:vif_name(2)\n%sassoc:1 aid:7     \n%s "
			       "assoc_cap:%s basic_rates:0x1f enable_beacon:1\n"
			       "%sht_operation_mode:3",
			       indent, indent, capable ? "0x31" : "0", indent);
		expect("mac80211", "drv_bss_info_changed", BSS_FIELDS, &record, false, wanted);
	}
}

static void shows_raw_data(void **state)
{
	struct record record = record_of(15);

	put(&record, 8, 4, 0xbeef);
	memcpy(record.bytes + 12, "\x01\xff\x0a", 3);
	expect("ftrace", "raw_data", FIELD("unsigned int id", 8, 4) FIELD("char buf", 12, 0),
	       &record, false, "# beef 01 ff 0a");
	expect("ftrace", "raw_data", FIELD("unsigned int id", 8, 4), &record, false,
	       "# beef<CANT FIND FIELD buf>");
	expect("ftrace", "raw_data", FIELD("char buf", 12, 0), &record, false,
	       "<CANT FIND FIELD id>!");
}

static void ignores_other_events(void **state)
{
	assert_null(event_renderer_find("kvm", "kvm_exi"));
	assert_null(event_renderer_find("kvmmmu", "kvm_exit"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_exit_reasons),
		cmocka_unit_test(shows_guest_entries),
		cmocka_unit_test(shows_exits_of_nested_guests),
		cmocka_unit_test(shows_emulated_instructions),
		cmocka_unit_test(shows_shadow_pages),
		cmocka_unit_test(shows_tlb_flushes),
		cmocka_unit_test(shows_wireless_settings),
		cmocka_unit_test(shows_raw_data),
		cmocka_unit_test(ignores_other_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
