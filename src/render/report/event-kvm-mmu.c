/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* KVM's shadow pages: unpacks the role of a page. */
#include "render/report/event-renderer.h"

enum {
	ROLE,
	ROOT_COUNT,
	UNSYNC,
	CREATED,
	GFN
};
#define MMU_FIELDS "role", "root_count", "unsync", "created", "gfn"

/*
 * Bit fields of union kvm_mmu_page_role, starting at the lowest bit, in the layout of little-endian
 * kernels.
 */
static void put_role(const struct rendering *r, uint32_t role)
{
	static const char *const access[] = {
		"---", "--x", "w--", "w-x", "-u-", "-ux", "wu-", "wux"
	};

	text_u64(r->text, role & 0xf);
	text_str(r->text, " q");
	text_u64(r->text, role >> 5 & 3);
	text_str(r->text, role >> 7 & 1 ? " direct " : " ");
	text_str(r->text, access[role >> 8 & 7]);
	text_str(r->text, role >> 11 & 1 ? " invalid" : "");
	text_str(r->text, role >> 4 & 1 ? " pae" : " !pae");
	text_str(r->text, role >> 12 & 1 ? " nxe" : " !nxe");
	text_str(r->text, role >> 13 & 1 ? " wp" : " !wp");
	text_str(r->text, role >> 14 & 1 ? " smep" : "");
	text_str(r->text, role >> 15 & 1 ? " smap" : "");
	text_str(r->text, role >> 24 ? " smm" : "");
}

static bool print_page(const struct rendering *r)
{
	uint64_t value;

	if (!rendering_find(r, ROLE, &value))
		return true;
	if (r->plan->entry->format->abi.big_endian) {
		text_str(r->text, "WORD: ");
		text_number(r->text, &(struct text_number){ .value = (uint32_t)value,
							    .base = 16,
							    .width = 8,
							    .precision = -1,
							    .zero = true });
	} else {
		put_role(r, (uint32_t)value);
	}
	if (rendering_number(r, ROOT_COUNT, &value)) {
		text_str(r->text, " root ");
		text_u64(r->text, (uint32_t)value);
		text_char(r->text, ' ');
	} else {
		rendering_show(r, ROOT_COUNT, &value);
	}
	if (!rendering_find(r, UNSYNC, &value))
		return true;
	text_str(r->text, value ? "unsync" : "sync");
	return false;
}

static bool print_get_page(const struct rendering *r)
{
	uint64_t created, gfn;

	if (!rendering_find(r, CREATED, &created))
		return true;
	text_str(r->text, created ? "new " : "existing ");
	if (!rendering_find(r, GFN, &gfn))
		return true;
	text_str(r->text, "sp gfn ");
	text_hex(r->text, gfn);
	text_char(r->text, ' ');
	return print_page(r);
}

const struct event_renderer event_kvm_mmu_renderers[] = {
	{ "kvmmmu", "kvm_mmu_get_page", { MMU_FIELDS }, print_get_page },
	{ "kvmmmu", "kvm_mmu_sync_page", { MMU_FIELDS }, print_page },
	{ "kvmmmu", "kvm_mmu_unsync_page", { MMU_FIELDS }, print_page },
	{ "kvmmmu", "kvm_mmu_zap_page", { MMU_FIELDS }, print_page },
	{ "kvmmmu", "kvm_mmu_prepare_zap_page", { MMU_FIELDS }, print_page },
	{ 0 },
};
