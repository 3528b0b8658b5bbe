/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/files/bus-guard.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/negative-errno.h"

static struct guarded_file *volatile files;
static uintptr_t page_size;
static volatile sig_atomic_t count;

/* Async-signal-safe: calls nothing but mmap(). */
static void put_zeros(int number, siginfo_t *info, void *context)
{
	uintptr_t at = (uintptr_t)info->si_addr;
	int saved = errno;

	for (struct guarded_file *file = files; file; file = file->next) {
		uintptr_t start = (uintptr_t)file->start;

		if (at < start || at - start >= file->size)
			continue;
		file->is_cut = 1;
		count++;
		/* NOLINTNEXTLINE(performance-no-int-to-ptr) */
		if (mmap((void *)(at & ~(page_size - 1)), page_size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED) {
			errno = saved;
			return;
		}
	}
	/* Not a guarded mapping: let the fault repeat with the default action. */
	signal(number, SIG_DFL);
}

int bus_guard_install(void)
{
	struct sigaction action = { .sa_sigaction = put_zeros, .sa_flags = SA_SIGINFO };

	page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
	sigemptyset(&action.sa_mask);
	return sigaction(SIGBUS, &action, NULL) < 0 ? negative_errno() : 0;
}

unsigned bus_guard_count(void)
{
	return (unsigned)count;
}

void bus_guard_add(struct guarded_file *file)
{
	file->next = files;
	files = file;
}
