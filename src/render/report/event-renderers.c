/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of all renderers. */
#include "base/str.h"
#include "render/report/event-renderer.h"

/* Each ends with an entry without a name. */
static const struct event_renderer *const tables[] = {
	event_function_renderers, event_graph_renderers,   event_sched_renderers,
	event_kmem_renderers,	  event_hrtimer_renderers, event_kvm_renderers,
	event_kvm_mmu_renderers,  event_futex_renderers,   event_tlb_renderers,
	event_mac80211_renderers, event_sample_renderers,
};

const struct event_renderer *event_renderer_find(const char *system, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		for (const struct event_renderer *r = tables[i]; r->name; r++)
			if (str_eq(r->name, name) && str_eq(r->system, system))
				return r;
	return NULL;
}
