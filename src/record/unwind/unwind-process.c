/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/unwind/unwind-process.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/files/bus-guard.h"
#include "base/cleanup.h"
#include "process/fd-message.h"
#include "base/hash.h"
#include "base/mem.h"
#include "symbols/elf/elf-file.h"
#include "symbols/dwarf/stack-unwind.h"
#include "symbols/user/user-maps.h"

/* A power of two. */
#define PLACES 1024
#define PAGE   4096

/* A mapped file. */
struct code_file {
	struct user_origin
		origin; /* its @copy is the number of the file, so that mappings lead here */
	uint8_t *image; /* NULL: not available */
	size_t size;
	struct guarded_file guard;
	bool asked;
	bool is_data; /* heap or stack */
	struct elf_file elf;
	struct frame_rules *rules; /* NULL: none, or not read yet */
};

/* Caches which mapping a page belongs to: mostly the same as in the previous sample. */
struct known_place {
	uint64_t page;
	int32_t pid;
	uint32_t made; /* value of @changes at the lookup; 0: empty */
	const struct user_mapping *mapping;
};

struct process {
	struct user_maps maps;
	struct known_file {
		struct code_file *file;
	} * files; /* file number - 1 is the index */
	size_t n_files, cap_files;
	struct unwind_cache *cache;
	struct known_place places[PLACES];
	uint32_t changes; /* number of changes of maps so far */
	uint64_t last_change; /* time of the last change */
	/* The current sample. */
	int32_t pid;
	uint64_t time;
	uint32_t last_file; /* file of its last frame; 0: none */
	_Atomic uint32_t *reading; /* see unwind_process_serve() */
};

static struct code_file *unwind_process_file_of(const struct process *process, uint32_t number)
{
	return number && number <= process->n_files ? process->files[number - 1].file : NULL;
}

/* Files are mapped, but not read until needed. */
static int unwind_process_add_file(struct process *process, const struct unwind_message *message,
				   int fd)
{
	uint32_t number = message->file.number;
	uint64_t size = message->file.size;
	struct code_file *file;
	void *image;

	/* Files arrive in order; ignore duplicates. */
	if (number != process->n_files + 1)
		return 0;
	if (mem_reserve(&process->files, &process->cap_files, number, sizeof(*process->files)) < 0)
		return -1;
	file = mem_zalloc(1, sizeof(*file));
	if (!file)
		return -1;
	process->files[process->n_files++].file = file;
	file->origin = (struct user_origin){ .copy = number, .path = "" };
	file->is_data = message->file.is_data;
	if (fd < 0 || !size || size > SIZE_MAX)
		return 0;
	image = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (image == MAP_FAILED)
		return 0;
	file->image = image;
	file->size = (size_t)size;
	file->guard = (struct guarded_file){ .start = image, .size = (size_t)size };
	bus_guard_add(&file->guard);
	return 0;
}

static int unwind_process_add_entry(struct process *process, const struct map_log_entry *entry)
{
	struct user_mapping mapping = { .start = entry->start,
					.end = entry->end,
					.offset = entry->offset,
					.path = "",
					.executable = true };
	struct code_file *file = unwind_process_file_of(process, entry->file);

	process->changes++;
	if (entry->time > process->last_change)
		process->last_change = entry->time;
	switch (entry->kind) {
	case 'M':
		if (file && file->is_data)
			return 0;
		mapping.origin = file ? &file->origin : NULL;
		return user_maps_add_mapping(&process->maps, entry->pid, entry->time, &mapping);
	case 'A': /* all its mappings follow */
	case 'X':
		return user_maps_add_exec(&process->maps, entry->pid, entry->time);
	case 'C':
		return user_maps_add_fork(&process->maps, entry->other, entry->pid, entry->time);
	default:
		return 0;
	}
}

/* libdw may write to its input, so make the private mapping writable. */
static void open_rules(struct code_file *file)
{
	struct elf_source source = { .fd = -1, .bytes = file->image, .size = file->size };

	file->asked = true;
	if (!file->image || mprotect(file->image, file->size, PROT_READ | PROT_WRITE) < 0 ||
	    elf_file_init(&file->elf, &source, NULL) < 0)
		return;
	if (frame_rules_new(file->image, file->size, &file->rules) < 0)
		file->rules = NULL;
}

static const struct user_mapping *unwind_process_find_mapping(struct process *process,
							      uint64_t address)
{
	uint64_t page = address / PAGE;
	uint32_t key = (uint32_t)page ^ (uint32_t)(page >> 32);
	struct known_place *place =
		&process->places[hash_u32(key, (uint32_t)process->pid) & (PLACES - 1)];
	bool known, is_now = process->time >= process->last_change;

	if (is_now && process->changes && place->made == process->changes && place->page == page &&
	    place->pid == process->pid)
		return place->mapping;
	*place = (struct known_place){
		.page = page,
		.pid = process->pid,
		.made = is_now ? process->changes : 0,
		.mapping = user_maps_find(&process->maps, process->pid, process->time, address,
					  &known),
	};
	return place->mapping;
}

static struct unwind_code unwind_process_find(void *data, uint64_t address)
{
	struct process *process = data;
	const struct user_mapping *mapping = unwind_process_find_mapping(process, address);
	struct unwind_code code = { .why = UNWIND_NOWHERE };
	struct code_file *file;

	process->last_file = 0;
	if (!mapping)
		return code;
	code.why = UNWIND_NO_FILE;
	file = mapping->origin ? unwind_process_file_of(process, mapping->origin->copy) : NULL;
	if (!file)
		return code;
	process->last_file = mapping->origin->copy;
	/* Valid until the next lookup, because rules are read on demand. */
	if (file->image)
		atomic_store(process->reading, mapping->origin->copy);
	if (!file->asked)
		open_rules(file);
	code.file = mapping->origin->copy;
	if (!file->image ||
	    !elf_file_address(&file->elf, address - mapping->start + mapping->offset,
			      &code.address))
		return code;
	/* Truncated after mapping: its unwind tables cannot be trusted. */
	if (file->guard.is_cut)
		return code;
	code.why = UNWIND_NO_RULES;
	code.rules = file->rules;
	return code;
}

static int unwind_process_answer(struct process *process, int fd,
				 const struct unwind_question *question, const uint8_t *stack,
				 size_t size)
{
	const struct unwind_finder finder = { unwind_process_find, process };
	const struct unwind_stack copy = { question->regs, stack, size };
	struct unwind_answer out = { .number = question->number };
	struct iovec part = { .iov_base = &out };
	enum unwind_end end;
	unsigned cuts;

	process->pid = question->pid;
	process->time = question->time;
	process->last_file = 0;
	/* Retry without a file that turns out to be truncated. */
	do {
		cuts = bus_guard_count();
		out.n = (uint32_t)stack_unwind(process->cache, &finder, &copy, out.frames,
					       UNWINDER_FRAMES_MAX, &end);
	} while (bus_guard_count() != cuts);
	atomic_store(process->reading, 0);
	out.end = (uint32_t)end;
	out.file = process->last_file;
	part.iov_len = offsetof(struct unwind_answer, frames) + out.n * sizeof(out.frames[0]);
	return fd_message_send(fd, &part, 1, -1, 0);
}

static int handle(struct process *process, int fd, const uint8_t *bytes, size_t len, int file)
{
	struct unwind_message message;

	if (len < sizeof(message))
		return -1;
	memcpy(&message, bytes, sizeof(message));
	switch (message.kind) {
	case UNWIND_FILE:
		return unwind_process_add_file(process, &message, file);
	case UNWIND_ENTRY:
		return unwind_process_add_entry(process, &message.entry);
	case UNWIND_SAMPLE:
		return unwind_process_answer(process, fd, &message.sample, bytes + sizeof(message),
					     len - sizeof(message));
	default:
		return -1;
	}
}

/* Memory is freed when the process exits. */
void unwind_process_serve(int fd, void *data)
{
	static uint8_t bytes[sizeof(struct unwind_message) + UNWIND_STACK_MAX];
	static struct process process;

	process.reading = data;
	process.cache = unwind_cache_new();
	if (!process.cache || bus_guard_install() < 0)
		return;
	for (;;) {
		_cleanup_close_ int file = -1;
		size_t len = fd_message_receive(fd, bytes, sizeof(bytes), 0, &file);

		if (!len || handle(&process, fd, bytes, len, file) < 0)
			return;
	}
}
