/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* KVM: exit reasons and emulated instructions. */
#include "render/report/event-renderer.h"

struct exit_reason {
	int number;
	const char *name;
};

/* Exit reasons by hardware number, for Intel and for AMD. */
static const struct exit_reason vmx_reasons[] = {
	{ 0, "EXCEPTION_NMI" },
	{ 1, "EXTERNAL_INTERRUPT" },
	{ 2, "TRIPLE_FAULT" },
	{ 7, "PENDING_INTERRUPT" },
	{ 8, "NMI_WINDOW" },
	{ 9, "TASK_SWITCH" },
	{ 10, "CPUID" },
	{ 12, "HLT" },
	{ 13, "INVD" },
	{ 14, "INVLPG" },
	{ 15, "RDPMC" },
	{ 16, "RDTSC" },
	{ 18, "VMCALL" },
	{ 19, "VMCLEAR" },
	{ 20, "VMLAUNCH" },
	{ 21, "VMPTRLD" },
	{ 22, "VMPTRST" },
	{ 23, "VMREAD" },
	{ 24, "VMRESUME" },
	{ 25, "VMWRITE" },
	{ 26, "VMOFF" },
	{ 27, "VMON" },
	{ 28, "CR_ACCESS" },
	{ 29, "DR_ACCESS" },
	{ 30, "IO_INSTRUCTION" },
	{ 31, "MSR_READ" },
	{ 32, "MSR_WRITE" },
	{ 36, "MWAIT_INSTRUCTION" },
	{ 39, "MONITOR_INSTRUCTION" },
	{ 40, "PAUSE_INSTRUCTION" },
	{ 41, "MCE_DURING_VMENTRY" },
	{ 43, "TPR_BELOW_THRESHOLD" },
	{ 44, "APIC_ACCESS" },
	{ 45, "EOI_INDUCED" },
	{ 48, "EPT_VIOLATION" },
	{ 49, "EPT_MISCONFIG" },
	{ 50, "INVEPT" },
	{ 52, "PREEMPTION_TIMER" },
	{ 54, "WBINVD" },
	{ 55, "XSETBV" },
	{ 56, "APIC_WRITE" },
	{ 58, "INVPCID" },
	{ 62, "PML_FULL" },
	{ 63, "XSAVES" },
	{ 64, "XRSTORS" },
};

static const struct exit_reason svm_reasons[] = {
	{ 0x000, "EXIT_READ_CR0" },
	{ 0x003, "EXIT_READ_CR3" },
	{ 0x004, "EXIT_READ_CR4" },
	{ 0x008, "EXIT_READ_CR8" },
	{ 0x010, "EXIT_WRITE_CR0" },
	{ 0x013, "EXIT_WRITE_CR3" },
	{ 0x014, "EXIT_WRITE_CR4" },
	{ 0x018, "EXIT_WRITE_CR8" },
	{ 0x020, "EXIT_READ_DR0" },
	{ 0x021, "EXIT_READ_DR1" },
	{ 0x022, "EXIT_READ_DR2" },
	{ 0x023, "EXIT_READ_DR3" },
	{ 0x024, "EXIT_READ_DR4" },
	{ 0x025, "EXIT_READ_DR5" },
	{ 0x026, "EXIT_READ_DR6" },
	{ 0x027, "EXIT_READ_DR7" },
	{ 0x030, "EXIT_WRITE_DR0" },
	{ 0x031, "EXIT_WRITE_DR1" },
	{ 0x032, "EXIT_WRITE_DR2" },
	{ 0x033, "EXIT_WRITE_DR3" },
	{ 0x034, "EXIT_WRITE_DR4" },
	{ 0x035, "EXIT_WRITE_DR5" },
	{ 0x036, "EXIT_WRITE_DR6" },
	{ 0x037, "EXIT_WRITE_DR7" },
	{ 0x040, "EXIT_EXCP_DE" },
	{ 0x041, "EXIT_EXCP_DB" },
	{ 0x043, "EXIT_EXCP_BP" },
	{ 0x044, "EXIT_EXCP_OF" },
	{ 0x045, "EXIT_EXCP_BR" },
	{ 0x046, "EXIT_EXCP_UD" },
	{ 0x047, "EXIT_EXCP_NM" },
	{ 0x048, "EXIT_EXCP_DF" },
	{ 0x04a, "EXIT_EXCP_TS" },
	{ 0x04b, "EXIT_EXCP_NP" },
	{ 0x04c, "EXIT_EXCP_SS" },
	{ 0x04d, "EXIT_EXCP_GP" },
	{ 0x04e, "EXIT_EXCP_PF" },
	{ 0x050, "EXIT_EXCP_MF" },
	{ 0x051, "EXIT_EXCP_AC" },
	{ 0x052, "EXIT_EXCP_MC" },
	{ 0x053, "EXIT_EXCP_XF" },
	{ 0x060, "EXIT_INTR" },
	{ 0x061, "EXIT_NMI" },
	{ 0x062, "EXIT_SMI" },
	{ 0x063, "EXIT_INIT" },
	{ 0x064, "EXIT_VINTR" },
	{ 0x065, "EXIT_CR0_SEL_WRITE" },
	{ 0x066, "EXIT_IDTR_READ" },
	{ 0x067, "EXIT_GDTR_READ" },
	{ 0x068, "EXIT_LDTR_READ" },
	{ 0x069, "EXIT_TR_READ" },
	{ 0x06a, "EXIT_IDTR_WRITE" },
	{ 0x06b, "EXIT_GDTR_WRITE" },
	{ 0x06c, "EXIT_LDTR_WRITE" },
	{ 0x06d, "EXIT_TR_WRITE" },
	{ 0x06e, "EXIT_RDTSC" },
	{ 0x06f, "EXIT_RDPMC" },
	{ 0x070, "EXIT_PUSHF" },
	{ 0x071, "EXIT_POPF" },
	{ 0x072, "EXIT_CPUID" },
	{ 0x073, "EXIT_RSM" },
	{ 0x074, "EXIT_IRET" },
	{ 0x075, "EXIT_SWINT" },
	{ 0x076, "EXIT_INVD" },
	{ 0x077, "EXIT_PAUSE" },
	{ 0x078, "EXIT_HLT" },
	{ 0x079, "EXIT_INVLPG" },
	{ 0x07a, "EXIT_INVLPGA" },
	{ 0x07b, "EXIT_IOIO" },
	{ 0x07c, "EXIT_MSR" },
	{ 0x07d, "EXIT_TASK_SWITCH" },
	{ 0x07e, "EXIT_FERR_FREEZE" },
	{ 0x07f, "EXIT_SHUTDOWN" },
	{ 0x080, "EXIT_VMRUN" },
	{ 0x081, "EXIT_VMMCALL" },
	{ 0x082, "EXIT_VMLOAD" },
	{ 0x083, "EXIT_VMSAVE" },
	{ 0x084, "EXIT_STGI" },
	{ 0x085, "EXIT_CLGI" },
	{ 0x086, "EXIT_SKINIT" },
	{ 0x087, "EXIT_RDTSCP" },
	{ 0x088, "EXIT_ICEBP" },
	{ 0x089, "EXIT_WBINVD" },
	{ 0x08a, "EXIT_MONITOR" },
	{ 0x08b, "EXIT_MWAIT" },
	{ 0x08c, "EXIT_MWAIT_COND" },
	{ 0x08d, "EXIT_XSETBV" },
	{ 0x400, "EXIT_NPF" },
	{ 0x401, "EXIT_AVIC_INCOMPLETE_IPI" },
	{ 0x402, "EXIT_AVIC_UNACCELERATED_ACCESS" },
	{ -1, "EXIT_ERR" },
};

enum isa {
	ISA_VMX = 1,
	ISA_SVM = 2
};

static const char *reason_name(uint64_t isa, int number)
{
	const struct exit_reason *reasons = isa == ISA_VMX ? vmx_reasons : svm_reasons;
	size_t n = isa == ISA_VMX ? ARRAY_SIZE(vmx_reasons) : ARRAY_SIZE(svm_reasons);

	if (isa != ISA_VMX && isa != ISA_SVM)
		return "UNKNOWN-ISA";
	for (size_t i = 0; i < n; i++)
		if (reasons[i].number == number)
			return reasons[i].name;
	return NULL;
}

enum {
	REASON,
	ISA,
	RIP,
	INFO1,
	INFO2,
	INT_INFO,
	INT_INFO_ERR
};

/* If the event has no reason, says so in the text and returns false. */
static bool put_reason(const struct rendering *r)
{
	uint64_t number, isa;
	const char *name;

	if (!rendering_find(r, REASON, &number))
		return false;
	if (!rendering_number(r, ISA, &isa))
		isa = ISA_VMX;
	name = reason_name(isa, (int)number);
	text_str(r->text, "reason ");
	if (name) {
		text_str(r->text, name);
	} else {
		text_str(r->text, "UNKNOWN (");
		text_u64(r->text, number);
		text_char(r->text, ')');
	}
	return true;
}

static void event_kvm_put_hex(const struct rendering *r, const char *label, uint64_t value)
{
	text_str(r->text, label);
	text_hex(r->text, value);
}

static bool event_kvm_print_exit(const struct rendering *r)
{
	uint64_t rip, info1, info2;

	if (!put_reason(r) || !rendering_find(r, RIP, &rip))
		return true;
	event_kvm_put_hex(r, " rip 0x", rip);
	if (rendering_number(r, INFO1, &info1) && rendering_number(r, INFO2, &info2)) {
		event_kvm_put_hex(r, " info ", info1);
		event_kvm_put_hex(r, " ", info2);
	}
	return false;
}

enum {
	VCPU_ID,
	ENTRY_RIP
};

static bool event_kvm_print_entry(const struct rendering *r)
{
	uint64_t value;

	if (rendering_number(r, VCPU_ID, &value)) {
		text_str(r->text, " vcpu ");
		text_u64(r->text, (uint32_t)value);
	} else {
		rendering_show(r, VCPU_ID, &value);
	}
	if (!rendering_find(r, ENTRY_RIP, &value))
		return true;
	event_kvm_put_hex(r, " rip 0x", value);
	return false;
}

static void put_info(const struct rendering *r, const char *label, unsigned field)
{
	uint64_t value;

	if (rendering_number(r, field, &value))
		event_kvm_put_hex(r, label, value);
	else
		rendering_show(r, field, &value);
}

static bool print_nested_inject(const struct rendering *r)
{
	if (!put_reason(r))
		return true;
	put_info(r, " info1 ", INFO1);
	put_info(r, " info2 ", INFO2);
	put_info(r, " int_info ", INT_INFO);
	put_info(r, " int_info_err ", INT_INFO_ERR);
	return false;
}

static bool print_nested_exit(const struct rendering *r)
{
	uint64_t rip;

	if (!rendering_find(r, RIP, &rip))
		return true;
	event_kvm_put_hex(r, " rip ", rip);
	return print_nested_inject(r);
}

enum {
	INSN_RIP,
	CSBASE,
	LEN,
	FLAGS,
	FAILED,
	INSN
};

static bool print_emulate(const struct rendering *r)
{
	uint64_t rip, csbase, len, flags, failed;
	const unsigned char *bytes;
	size_t size;

	if (!rendering_find(r, INSN_RIP, &rip) || !rendering_find(r, CSBASE, &csbase) ||
	    !rendering_find(r, LEN, &len) || !rendering_find(r, FLAGS, &flags) ||
	    !rendering_find(r, FAILED, &failed))
		return true;
	if (!r->plan->fields[INSN] ||
	    !event_field_bytes(r->plan->entry->format, r->plan->fields[INSN], r->event->data,
			       r->event->size, &bytes, &size)) {
		text_str(r->text, "<CANT FIND FIELD insn>");
		return true;
	}
	text_hex(r->text, csbase);
	event_kvm_put_hex(r, ":", rip);
	text_str(r->text, ":");
	for (size_t i = 0; i < len && i < size; i++) {
		text_char(r->text, ' ');
		text_hex_byte(r->text, bytes[i], false);
	}
	if (failed)
		text_str(r->text, " FAIL");
	return false;
}

#define NESTED_FIELDS \
	"exit_code", "isa", "rip", "exit_info1", "exit_info2", "exit_int_info", "exit_int_info_err"

const struct event_renderer event_kvm_renderers[] = {
	{ "kvm",
	  "kvm_exit",
	  { "exit_reason", "isa", "guest_rip", "info1", "info2" },
	  event_kvm_print_exit },
	{ "kvm", "kvm_entry", { "vcpu_id", "rip" }, event_kvm_print_entry },
	{ "kvm", "kvm_nested_vmexit", { NESTED_FIELDS }, print_nested_exit },
	{ "kvm", "kvm_nested_vmexit_inject", { NESTED_FIELDS }, print_nested_inject },
	{ "kvm",
	  "kvm_emulate_insn",
	  { "rip", "csbase", "len", "flags", "failed", "insn" },
	  print_emulate },
	{ 0 },
};
