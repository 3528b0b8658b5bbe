/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/sums/slowest.h"

void slowest_add(struct slowest *slowest, const struct instance *instance)
{
	size_t i;

	if (slowest->n < SLOWEST_MAX)
		i = slowest->n++;
	else if (instance->duration > slowest->list[SLOWEST_MAX - 1].duration)
		i = SLOWEST_MAX - 1;
	else
		return;
	for (; i && slowest->list[i - 1].duration < instance->duration; i--)
		slowest->list[i] = slowest->list[i - 1];
	slowest->list[i] = *instance;
}
