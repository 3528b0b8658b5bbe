/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwinds a copy of its own stack in the process that does so for recordings. */
#include "test.h"

#include <elf.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "format/bytes.h"
#include "own-stack.h"
#include "record/samples/sample-queue.h"
#include "record/samples/samples.h"
#include "record/unwind/unwinder-parts.h"
#include "symbols/dwarf/stack-unwind.h"

#define PAGE	4096
#define WAIT_MS 60000
#define START	1000000000ULL
/* CPU time; the files of this test take a few milliseconds. */
#define SLOW_NS 200000000

struct fixture {
	struct unwinder *unwinder;
	struct map_log *log;
};

/* Logs the maps of this process. Returns 0 or -ENOMEM. */
static int start_log(struct fixture *f)
{
	struct map_log_listener listener = unwinder_listener(f->unwinder);
	pid_t self = getpid();

	return map_log_new("", &self, 1, NULL, &listener, &f->log, NULL);
}

static int start(struct fixture *f)
{
	int r = unwinder_new(&f->unwinder, NULL);

	f->log = NULL;
	if (r < 0) {
		f->unwinder = NULL;
		return r;
	}
	return start_log(f);
}

/* Without a process, kill(0) would signal our whole group. */
static void send_signal(const struct unwinder *unwinder, int number)
{
	if (unwinder_pid(unwinder) > 0)
		kill(unwinder_pid(unwinder), number);
}

static void stop(struct fixture *f)
{
	map_log_free(f->log);
	unwinder_free(f->unwinder);
}

static void skip_where_unknown(void)
{
	if (!frame_rules_supported() || !own_stack_take()->bytes)
		skip_because("no libdw, or the own stack cannot be copied");
}

static size_t copied(void)
{
	size_t size = own_stack_take()->size;

	return size < 60000 ? size : 60000;
}

static void finds_its_callers(void **state)
{
	const struct own_stack *own = own_stack_take();
	struct unwind_question question = { .number = 7, .pid = getpid(), .time = START };
	struct unwind_answer answer;
	struct fixture f;

	skip_where_unknown();
	memcpy(question.regs, own->regs, sizeof(question.regs));
	require(start(&f) >= 0);
	assert_true(unwinder_ask(f.unwinder, &question, own->bytes, copied()));
	assert_true(unwinder_answer(f.unwinder, WAIT_MS, &answer));
	assert_int_equal(answer.number, 7);
	assert_int_equal(answer.end, UNWIND_WHOLE);
	/* Sanitizers add a function of their own. */
	assert_true(answer.n > 4 && (size_t)own->n_backtrace >= answer.n);
	for (size_t i = 1; i < answer.n; i++)
		assert_int_equal(answer.frames[answer.n - i],
				 (uintptr_t)own->backtrace[own->n_backtrace - i]);
	/* For an unknown process, only the address itself is known. */
	question.pid++;
	assert_true(unwinder_ask(f.unwinder, &question, own->bytes, copied()));
	assert_true(unwinder_answer(f.unwinder, WAIT_MS, &answer));
	assert_int_equal(answer.n, 1);
	assert_int_equal(answer.end, UNWIND_NOWHERE);
	assert_false(unwinder_failed(f.unwinder));
	stop(&f);
}

/* A forked process has the maps of its parent until it executes another program. */
static void follows_processes(void **state)
{
	const struct own_stack *own = own_stack_take();
	struct unwind_question question = { .pid = 999999, .time = START + 5 };
	struct unwind_answer answer;
	struct map_log_listener tell;
	struct fixture f;

	skip_where_unknown();
	memcpy(question.regs, own->regs, sizeof(question.regs));
	require(start(&f) >= 0);
	tell = unwinder_listener(f.unwinder);
	tell.entry(tell.data,
		   &(struct map_log_entry){
			   .kind = 'C', .pid = 999999, .other = getpid(), .time = START });
	unwinder_ask(f.unwinder, &question, own->bytes, copied());
	assert_true(unwinder_answer(f.unwinder, WAIT_MS, &answer));
	assert_int_equal(answer.end, UNWIND_WHOLE);
	tell.entry(tell.data,
		   &(struct map_log_entry){ .kind = 'X', .pid = 999999, .time = START + 10 });
	/* A sample from before, and one from after. */
	unwinder_ask(f.unwinder, &question, own->bytes, copied());
	assert_true(unwinder_answer(f.unwinder, WAIT_MS, &answer));
	assert_int_equal(answer.end, UNWIND_WHOLE);
	question.time = START + 20;
	unwinder_ask(f.unwinder, &question, own->bytes, copied());
	assert_true(unwinder_answer(f.unwinder, WAIT_MS, &answer));
	assert_int_equal(answer.end, UNWIND_NOWHERE);
	stop(&f);
}

/* After an invalid message, the process exits, and nothing waits for it. */
static void survives_the_end_of_the_process(void **state)
{
	const struct own_stack *own = own_stack_take();
	struct unwind_question question = { .pid = getpid() };
	struct unwind_answer answer;
	struct fixture f;

	skip_where_unknown();
	require(start(&f) >= 0);
	send_signal(f.unwinder, SIGKILL);
	unwinder_ask(f.unwinder, &question, own->bytes, copied());
	assert_false(unwinder_answer(f.unwinder, WAIT_MS, &answer));
	assert_true(unwinder_failed(f.unwinder));
	assert_false(unwinder_ask(f.unwinder, &question, own->bytes, copied()));
	stop(&f);
}

/* Sends @sent answers of @len bytes to @asked questions. Returns how many are accepted. */
static unsigned take_answers(unsigned sent, size_t len, uint32_t frames, unsigned asked)
{
	struct unwind_answer answer = { .n = frames };
	_Atomic uint32_t reading = 0;
	struct unwinder unwinder = { .pool = CONFINED_POOL_NONE,
				     .reading = &reading,
				     .waiting = asked };
	unsigned taken = 0;
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	unwinder.pool.current.fd = ends[0];
	for (unsigned i = 0; i < sent; i++)
		assert_int_equal(send(ends[1], &answer, len, MSG_DONTWAIT), len);
	while (unwinder_answer(&unwinder, 0, &answer))
		taken++;
	assert_int_equal(unwinder_failed(&unwinder), taken < sent);
	if (!unwinder_failed(&unwinder))
		close(ends[0]);
	close(ends[1]);
	return taken;
}

static void accepts_one_answer_per_request(void **state)
{
	const size_t head = offsetof(struct unwind_answer, frames);

	assert_int_equal(take_answers(3, head, 0, 3), 3);
	assert_int_equal(take_answers(3, head + 16, 2, 3), 3);
	assert_int_equal(take_answers(1, head, 0, 0), 0);
	assert_int_equal(take_answers(5, head, 0, 3), 3);
	/* The length does not match. */
	assert_int_equal(take_answers(1, head - 1, 0, 1), 0);
	assert_int_equal(take_answers(1, head + 8, 2, 1), 0);
	assert_int_equal(take_answers(1, head + 8, 0, 1), 0);
	assert_int_equal(take_answers(1, head, UINT32_MAX, 1), 0);
}

/*
 * An ELF file whose .eh_frame has so many entries, without an index, that reading all of them takes
 * a second.
 */
#define MANY	   2000000
#define FRAMES_AT  0x1000
#define FRAME_SIZE 24
#define HEAD_SIZE  16

struct slow_head {
	Elf64_Ehdr elf;
	Elf64_Phdr all;
	Elf64_Shdr sections[3];
	char names[32];
};

static void write_frames(uint8_t *at)
{
	/*
	 * Addresses of 8 bytes (augmentation ""); code and data alignment 1; return address in
	 * register 16.
	 */
	static const uint8_t head[HEAD_SIZE] = {
		HEAD_SIZE - 4, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 16
	};
	uint32_t length = FRAME_SIZE - 4;

	memcpy(at, head, sizeof(head));
	for (uint32_t i = 0; i < MANY; i++) {
		uint8_t *frame = at + HEAD_SIZE + (size_t)i * FRAME_SIZE;
		uint32_t back = (uint32_t)(frame + 4 - at);
		uint64_t place[2] = { 0x10000000 + (uint64_t)i * 16, 16 };

		memcpy(frame, &length, 4);
		memcpy(frame + 4, &back, 4);
		memcpy(frame + 8, place, sizeof(place));
	}
}

static void write_slow_file(int fd)
{
	size_t frames = HEAD_SIZE + (size_t)MANY * FRAME_SIZE, size = FRAMES_AT + frames;
	struct slow_head *head;
	Elf64_Ehdr own;
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	assert_int_equal(read(self, &own, sizeof(own)), sizeof(own));
	close(self);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	head = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(head != MAP_FAILED);
	/* As in this program, except for the tables. */
	head->elf = own;
	head->elf.e_phoff = offsetof(struct slow_head, all);
	head->elf.e_phnum = 1;
	head->elf.e_shoff = offsetof(struct slow_head, sections);
	head->elf.e_shnum = 3;
	head->elf.e_shstrndx = 2;
	head->all = (Elf64_Phdr){ .p_type = PT_LOAD, .p_filesz = size, .p_memsz = size };
	memcpy(head->names, "\0.eh_frame\0.shstrtab", 21);
	head->sections[1] = (Elf64_Shdr){ .sh_name = 1,
					  .sh_type = SHT_PROGBITS,
					  .sh_flags = SHF_ALLOC,
					  .sh_addr = FRAMES_AT,
					  .sh_offset = FRAMES_AT,
					  .sh_size = frames };
	head->sections[2] = (Elf64_Shdr){ .sh_name = 11,
					  .sh_type = SHT_STRTAB,
					  .sh_offset = offsetof(struct slow_head, names),
					  .sh_size = sizeof(head->names) };
	write_frames((uint8_t *)head + FRAMES_AT);
	munmap(head, size);
}

/* A child of this process that has only this file mapped, from @start on. */
static void add_child(struct map_log *log, const char *path, uint64_t start)
{
	struct process_event fork = { .kind = PROCESS_FORKED, .pid = 999999, .parent = getpid() };
	struct process_event exec = { .kind = PROCESS_EXEC, .pid = 999999 };
	struct process_event map = { .kind = PROCESS_MAPPED,
				     .pid = 999999,
				     .start = start,
				     .end = start + 0x100000,
				     .path = path };

	assert_int_equal(map_log_add(log, &fork), 0);
	assert_int_equal(map_log_add(log, &exec), 0);
	assert_int_equal(map_log_add(log, &map), 0);
}

static void assert_unwinds_itself(struct unwinder *unwinder)
{
	const struct own_stack *own = own_stack_take();
	struct unwind_question question = { .number = 7, .pid = getpid(), .time = START };
	struct unwind_answer answer;

	memcpy(question.regs, own->regs, sizeof(question.regs));
	assert_true(unwinder_ask(unwinder, &question, own->bytes, copied()));
	assert_true(unwinder_answer(unwinder, WAIT_MS, &answer));
	assert_int_equal(answer.number, 7);
	assert_int_equal(answer.end, UNWIND_WHOLE);
}

struct pages {
	struct trace_out_stream stream;
	struct event_pages pages;
	int fd;
};

static int pages_start(struct pages *p)
{
	*p = (struct pages){ .fd = memfd_create("test", MFD_CLOEXEC) };
	p->stream =
		(struct trace_out_stream){ .fd = p->fd, .page_size = PAGE, .limit = 64ULL * PAGE };
	return event_pages_init(&p->pages, &p->stream, 1);
}

static void pages_stop(struct pages *p)
{
	event_pages_done(&p->pages);
	close(p->fd);
}

/* Other files are still read, and samples restart the process automatically. */
static void a_file_that_crashes_it_is_skipped(void **state)
{
	struct unwind_question question = { .number = 8, .pid = 999999, .time = START };
	char path[300];
	struct samples_options options = { .n_streams = 1 };
	struct samples_failure failure;
	struct samples *samples = NULL;
	struct unwind_answer answer;
	struct fixture f = { 0 };
	struct pages p;
	int fd;

	skip_where_unknown();
	snprintf(path, sizeof(path), "%s/slow", tree_make());
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	write_slow_file(fd);
	assert_int_equal(unwinder_new_limited(SLOW_NS, &f.unwinder, NULL), 0);
	assert_int_equal(start_log(&f), 0);
	assert_int_equal(pages_start(&p), 0);
	options.streams = &p.stream;
	options.unwinder = f.unwinder;
	options.maps = f.log;
	assert_int_equal(samples_new_empty(&options, &samples), 0);
	question.regs[unwind_machine.pc] = 0x7000000100;
	add_child(f.log, path, 0x7000000000);
	assert_unwinds_itself(f.unwinder);

	assert_true(unwinder_ask(f.unwinder, &question, NULL, 0));
	while (!unwinder_failed(f.unwinder))
		assert_false(unwinder_answer(f.unwinder, 10, &answer));
	assert_true(samples_failure(samples, 0, &failure));
	assert_non_null(strstr(failure.how, "of CPU time for one stack"));
	assert_string_equal(failure.path, path);
	assert_true(failure.is_off);
	assert_false(unwinder_ask(f.unwinder, &question, NULL, 0));

	assert_int_equal(samples_take(samples, false), 0);
	assert_unwinds_itself(f.unwinder);
	assert_true(unwinder_ask(f.unwinder, &question, NULL, 0));
	assert_true(unwinder_answer(f.unwinder, WAIT_MS, &answer));
	assert_int_equal(answer.n, 1);
	assert_int_equal(answer.end, UNWIND_NO_FILE);
	assert_true(samples_failure(samples, 0, &failure));
	assert_int_equal(failure.stacks, 1);
	assert_false(failure.is_off);
	assert_false(samples_failure(samples, 1, &failure));
	samples_free(samples);
	pages_stop(&p);
	stop(&f);
	close(fd);
	tree_remove();
}

/* If the process is killed while idle, no file is to blame. */
static void restarts_are_limited(void **state)
{
	struct unwind_question question = { .pid = getpid() };
	const struct unwinder_failure *failures;
	pid_t pids[CONFINED_FAILURES_MAX];
	struct unwind_answer answer;
	struct fixture f;

	skip_where_unknown();
	assert_int_equal(start(&f), 0);
	assert_int_equal(unwinder_pids(f.unwinder, pids), CONFINED_FAILURES_MAX);
	for (size_t i = 1; i <= CONFINED_FAILURES_MAX; i++) {
		assert_unwinds_itself(f.unwinder);
		send_signal(f.unwinder, SIGKILL);
		unwinder_ask(f.unwinder, &question, NULL, 0);
		assert_false(unwinder_answer(f.unwinder, WAIT_MS, &answer));
		assert_true(unwinder_failed(f.unwinder));
		assert_int_equal(unwinder_failures(f.unwinder, &failures), i);
		assert_non_null(strstr(failures[i - 1].how, "was killed by signal 9"));
		assert_int_equal(failures[i - 1].file, 0);
		assert_int_equal(unwinder_restart(f.unwinder), i < CONFINED_FAILURES_MAX);
		map_log_announce(f.log);
	}
	assert_false(unwinder_ask(f.unwinder, &question, NULL, 0));
	assert_int_equal(unwinder_pid(f.unwinder), 0);
	stop(&f);
}

/* Returns a copy of this program, to be truncated while it is mapped. */
static int copy_of_self(void)
{
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int fd = memfd_create("copy", MFD_CLOEXEC);
	char block[65536];
	ssize_t n;

	while ((n = read(from, block, sizeof(block))) > 0)
		assert_int_equal(write(fd, block, (size_t)n), n);
	close(from);
	return fd;
}

static void survives_a_truncated_file(void **state)
{
	const struct own_stack *own = own_stack_take();
	struct unwind_question question = { .pid = 999999, .time = START + 5 };
	struct unwind_answer answer;
	struct map_log_listener tell;
	struct fixture f = { 0 };
	int fd = copy_of_self();
	struct stat st;

	skip_where_unknown();
	memcpy(question.regs, own->regs, sizeof(question.regs));
	require(fstat(fd, &st) == 0 && unwinder_new(&f.unwinder, NULL) >= 0);
	tell = unwinder_listener(f.unwinder);
	tell.file(tell.data, 1, fd, (uint64_t)st.st_size);
	/* The addresses of this program do not matter: all are in the file. */
	tell.entry(tell.data, &(struct map_log_entry){ .kind = 'M',
						       .pid = 999999,
						       .time = START,
						       .start = question.regs[unwind_machine.pc] &
								~(uint64_t)(PAGE - 1),
						       .end = UINT64_MAX / 2,
						       .file = 1 });
	/* The answer implies that it was mapped. */
	question.pid = 1;
	assert_true(unwinder_ask(f.unwinder, &question, own->bytes, copied()));
	assert_true(unwinder_answer(f.unwinder, WAIT_MS, &answer));
	assert_int_equal(ftruncate(fd, PAGE), 0);
	question.pid = 999999;
	for (int i = 0; i < 3; i++) {
		assert_true(unwinder_ask(f.unwinder, &question, own->bytes, copied()));
		assert_true(unwinder_answer(f.unwinder, WAIT_MS, &answer));
		assert_int_equal(answer.n, 1);
		assert_int_equal(answer.end, UNWIND_NO_FILE);
	}
	assert_false(unwinder_failed(f.unwinder));
	close(fd);
	unwinder_free(f.unwinder);
}

/* A sample of this process as perf provides it. */
static uint32_t make_sample(uint64_t abi, struct perf_record *record, uint8_t *regs,
			    uint8_t event[SAMPLE_SIZE_MAX], struct perf_layout *layout)
{
	const struct own_stack *own = own_stack_take();
	static uint64_t chain[] = { (uint64_t)PERF_CONTEXT_USER, 0x1000 };

	*layout = (struct perf_layout){ .n_regs = (uint8_t)unwind_machine.n_perf,
					.big = BYTES_HOST_BIG };
	for (unsigned i = 0; i < unwind_machine.n; i++)
		memcpy(regs + (size_t)8 * unwind_machine.place[i], &own->regs[i], 8);
	*record = (struct perf_record){ .kind = PERF_SAMPLE,
					.misc = PERF_RECORD_MISC_USER,
					.pid = getpid(),
					.tid = getpid(),
					.time = START,
					.chain = (const uint8_t *)chain,
					.n_chain = 2,
					.regs_abi = abi,
					.regs = regs,
					.stack = own->bytes,
					.stack_size = (uint32_t)copied() };
	return sample_event_write(layout, record, 1, event);
}

static void the_queue_unwinds_or_reports_the_reason(void **state)
{
	static uint8_t event[SAMPLE_SIZE_MAX], regs[8 * UNWIND_REGS_MAX];
	struct sample_queue *queue = NULL;
	struct perf_record record;
	struct perf_layout layout;
	struct fixture f = { 0 };
	struct pages p;
	uint64_t late;
	uint32_t size;
	int r;

	skip_where_unknown();
	r = pages_start(&p);
	if (r == 0)
		r = start(&f);
	if (r == 0)
		r = sample_queue_new(&p.pages, f.unwinder, &queue);
	if (succeeds(r == 0)) {
		size = make_sample(PERF_SAMPLE_REGS_ABI_64, &record, regs, event, &layout);
		assert_int_equal(sample_queue_put(queue, &layout, &record, 0, event, size), 0);
		record.regs_abi = PERF_SAMPLE_REGS_ABI_32;
		assert_int_equal(sample_queue_put(queue, &layout, &record, 0, event, size), 0);
		record.regs_abi = 0;
		assert_int_equal(sample_queue_put(queue, &layout, &record, 0, event, size), 0);
		assert_int_equal(sample_queue_take(queue, true), 0);
		assert_int_equal(sample_queue_count(queue, SAMPLE_END_WHOLE), 1);
		assert_int_equal(sample_queue_count(queue, SAMPLE_END_OTHER_ABI), 1);
		assert_int_equal(sample_queue_count(queue, SAMPLE_END_FRAME_POINTERS), 1);
		/* A sample that is never answered, and a gap after it, are written nevertheless. */
		send_signal(f.unwinder, SIGSTOP);
		record.regs_abi = PERF_SAMPLE_REGS_ABI_64;
		for (int i = 0; i < 3000; i++)
			assert_int_equal(sample_queue_put(queue, &layout, &record, 0, event, size),
					 0);
		assert_true(sample_queue_count(queue, SAMPLE_END_LATE) >= 3000 - 2048);
		assert_int_equal(sample_queue_lose(queue, 0, START, 5), 0);
		assert_int_equal(sample_queue_failed(queue), 0);
		late = sample_queue_count(queue, SAMPLE_END_LATE);
		send_signal(f.unwinder, SIGKILL);
		assert_int_equal(sample_queue_take(queue, true), 0);
		/* All of them were pending. */
		assert_true(sample_queue_failed(queue) > 0);
		assert_int_equal(sample_queue_failed(queue),
				 sample_queue_count(queue, SAMPLE_END_LATE) - late);
		assert_true(sample_queue_count(queue, SAMPLE_END_LATE) +
				    sample_queue_count(queue, SAMPLE_END_WHOLE) >=
			    3001);
	}
	sample_queue_free(queue);
	stop(&f);
	pages_stop(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_its_callers),
		cmocka_unit_test(follows_processes),
		cmocka_unit_test(survives_the_end_of_the_process),
		cmocka_unit_test(accepts_one_answer_per_request),
		cmocka_unit_test(survives_a_truncated_file),
		cmocka_unit_test(a_file_that_crashes_it_is_skipped),
		cmocka_unit_test(restarts_are_limited),
		cmocka_unit_test(the_queue_unwinds_or_reports_the_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
