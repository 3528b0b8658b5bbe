/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/syscalls/syscall-cost.h"

#define UNSURE 0.1 /* relative error of the cost */

void syscall_cost_begin(struct syscall_cost *cost, const struct feed *feed)
{
	/* There may have been more events on other CPUs. */
	cost->known = !(feed->window && feed->window->cpus) &&
		      prices_read(feed->trace, &cost->prices) && cost->prices.syscall_ns > 0;
}

static bool has_price(const struct decoded_event *decoded)
{
	switch (decoded->kind) {
	case DECODED_CALL:
	case DECODED_RETURN:
	case DECODED_FUNCTION:
	case DECODED_WRITTEN:
	case DECODED_CAPABILITY:
	case DECODED_PROBE:
	case DECODED_PROBE_RETURN:
	case DECODED_USER:
	case DECODED_SAMPLE:
	case DECODED_USER_STACK:
		return false;
	default:
		return !decoded->event->missed;
	}
}

double syscall_cost_of(struct syscall_cost *cost, const struct decoded_event *decoded)
{
	const struct prices *prices = &cost->prices;

	if (!cost->known)
		return 0;
	if (!has_price(decoded)) {
		cost->known = false;
		return 0;
	}
	switch (decoded->kind) {
	case DECODED_SYSCALL_ENTRY:
	case DECODED_SYSCALL_EXIT:
		return 0;
	case DECODED_PATH:
		return prices->path_ns + prices->path_byte_ns * (double)decoded->path.len;
	default:
		return prices->event_ns;
	}
}

uint64_t syscall_cost_take_off(uint64_t total, uint64_t off, double ns, bool *ret_below)
{
	uint64_t least = (uint64_t)(ns * UNSURE + 0.5), cost = (uint64_t)(ns + 0.5);
	uint64_t left = total > cost ? total - cost : 0;

	if (off > total)
		off = total;
	if (left < off)
		left = off;
	*ret_below = left < least;
	return *ret_below ? least : left;
}
