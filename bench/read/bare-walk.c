/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bare-walk.h"

#include <string.h>

static int step(struct bare_cpu *cpu, uint32_t page_size)
{
	for (;;) {
		uint32_t word, more;

		while (cpu->pos >= cpu->page_end) {
			uint64_t commit;

			if (cpu->pos)
				cpu->page += page_size;
			if (cpu->page >= cpu->end) {
				cpu->time = UINT64_MAX;
				return 0;
			}
			memcpy(&cpu->time, cpu->page, 8);
			memcpy(&commit, cpu->page + 8, 8);
			cpu->pos = cpu->page + 16;
			cpu->page_end = cpu->pos + (commit & 0x7ffffff);
		}
		memcpy(&word, cpu->pos, 4);
		if ((word & 31) - 1 < 28) {
			cpu->time += word >> 5;
			cpu->data = cpu->pos + 4;
			cpu->pos += 4 + (word & 31) * 4;
			return 1;
		}
		memcpy(&more, cpu->pos + 4, 4);
		switch (word & 31) {
		case 0:
			cpu->time += word >> 5;
			cpu->data = cpu->pos + 8;
			cpu->pos += 4 + ((more + 3) & ~3U);
			return 1;
		case 29:
			cpu->time += word >> 5;
			cpu->pos = word >> 5 ? cpu->pos + 4 + more : cpu->page_end;
			break;
		case 30:
			cpu->time += ((uint64_t)more << 27) + (word >> 5);
			cpu->pos += 8;
			break;
		case 31:
			cpu->time = (cpu->time & (0xf8ULL << 56)) | ((uint64_t)more << 27) |
				    (word >> 5);
			cpu->pos += 8;
			break;
		}
	}
}

struct bare_sum bare_walk(struct bare_cpu *cpus, unsigned n, uint32_t page_size)
{
	struct bare_sum sum = { 0 };

	for (unsigned i = 0; i < n; i++)
		step(&cpus[i], page_size);
	for (;;) {
		unsigned best = 0;
		uint16_t id;
		int32_t pid;

		for (unsigned i = 1; i < n; i++)
			if (cpus[i].time < cpus[best].time)
				best = i;
		if (cpus[best].time == UINT64_MAX)
			return sum;
		memcpy(&id, cpus[best].data, 2);
		memcpy(&pid, cpus[best].data + 4, 4);
		sum.events++;
		sum.hash += cpus[best].time ^ id ^ (uint32_t)pid;
		step(&cpus[best], page_size);
	}
}
