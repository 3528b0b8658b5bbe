/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bare-splice [-m] DIRECTORY FILE COMMAND...: the minimum cost of recording. While the command
 * runs, moves the pages of each CPU's ring buffer in DIRECTORY (tracefs or an instance, already set
 * up) to FILE.CPU, through a pipe of 1 MiB, excluded from the trace. Writes no headers and no
 * names, and restores nothing. Prints the numbers of bytes, events and lost events.
 *
 * With -m, the ring buffer is mapped (Linux 6.10), and its pages are written to the file one by
 * one. Exit status 77 if it cannot be mapped.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PIPE_SIZE (1 << 20)
#define CPUS_MAX  16

#define GET_READER _IO('R', 0x20) /* the kernel's TRACE_MMAP_IOCTL_GET_READER */
#define NOT_THERE  77

/* The kernel's struct trace_buffer_meta, as far as it is used. */
struct meta {
	uint32_t meta_page_size, meta_struct_len, subbuf_size, nr_subbufs;
	uint64_t lost_events;
	uint32_t reader_id, reader_read;
};

struct ring {
	int raw, file, pipe[2];
	const struct meta *meta; /* with -m */
	const char *pages;
	uint32_t last_id, last_read;
	pthread_t thread;
	unsigned long bytes;
};

static struct ring rings[CPUS_MAX];
static int place, n_rings;
static pthread_barrier_t ready;
static _Atomic bool stops, seen[CPUS_MAX];

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void put(const char *file, const char *text)
{
	int fd = openat(place, file, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die(file);
	close(fd);
}

static void keep_out(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static const char *const files[] = { "set_event_notrace_pid", "set_ftrace_notrace_pid" };
	char text[32];

	snprintf(text, sizeof(text), "%ld", syscall(SYS_gettid));
	pthread_mutex_lock(&lock);
	for (int i = 0; i < 2; i++) {
		int fd = openat(place, files[i], O_WRONLY | O_APPEND | O_CLOEXEC);

		if (fd < 0 || write(fd, text, strlen(text)) < 0)
			die(files[i]);
		close(fd);
	}
	pthread_mutex_unlock(&lock);
}

static void wake(int sig)
{
	(void)sig;
}

/* Returns false if there was nothing to read. */
static bool move(struct ring *ring, unsigned flags)
{
	ssize_t n = splice(ring->raw, NULL, ring->pipe[1], NULL, PIPE_SIZE, flags | SPLICE_F_MOVE);

	if (n < 0 && errno != EAGAIN && errno != EINTR)
		die("splice");
	if (n <= 0)
		return false;
	for (ssize_t left = n; left > 0;) {
		ssize_t m =
			splice(ring->pipe[0], NULL, ring->file, NULL, (size_t)left, SPLICE_F_MOVE);

		if (m < 0 && errno == EINTR)
			continue;
		if (m <= 0)
			die("splice to the file");
		left -= m;
	}
	ring->bytes += (unsigned long)n;
	return true;
}

static void map_ring(struct ring *ring)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *meta = mmap(NULL, page, PROT_READ, MAP_SHARED, ring->raw, 0);
	void *pages;

	if (meta == MAP_FAILED)
		exit(NOT_THERE);
	ring->meta = meta;
	pages = mmap(NULL, (size_t)ring->meta->subbuf_size * ring->meta->nr_subbufs, PROT_READ,
		     MAP_SHARED, ring->raw, ring->meta->meta_page_size);
	if (pages == MAP_FAILED)
		exit(NOT_THERE);
	ring->pages = pages;
	ring->last_id = UINT32_MAX;
}

/*
 * Returns false if there was nothing to read. A partial page is returned again when it has more
 * data.
 */
static bool copy(struct ring *ring)
{
	const struct meta *meta = ring->meta;
	bool again;

	if (ioctl(ring->raw, GET_READER) < 0 && errno != EAGAIN && errno != EINTR)
		die("ioctl");
	again = meta->reader_id == ring->last_id;
	if (again && meta->reader_read == ring->last_read)
		return false;
	if (pwrite(ring->file, ring->pages + (size_t)meta->reader_id * meta->subbuf_size,
		   meta->subbuf_size, (off_t)(ring->bytes - (again ? meta->subbuf_size : 0))) < 0)
		die("write");
	ring->bytes += again ? 0 : meta->subbuf_size;
	ring->last_id = meta->reader_id;
	ring->last_read = meta->reader_read;
	return true;
}

static void *run_mapped(void *arg)
{
	struct ring *ring = arg;

	keep_out();
	pthread_barrier_wait(&ready);
	while (!stops)
		copy(ring);
	seen[ring - rings] = true;
	fcntl(ring->raw, F_SETFL, O_NONBLOCK);
	while (copy(ring))
		;
	return NULL;
}

static void *run(void *arg)
{
	struct ring *ring = arg;

	keep_out();
	pthread_barrier_wait(&ready);
	while (!stops)
		move(ring, 0);
	seen[ring - rings] = true;
	while (move(ring, SPLICE_F_NONBLOCK))
		;
	return NULL;
}

static unsigned long stat_of(int cpu, const char *key)
{
	char path[64], text[1024];
	unsigned long value = 0;
	const char *at;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "per_cpu/cpu%d/stats", cpu);
	fd = openat(place, path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n < 0)
		die(path);
	close(fd);
	text[n] = '\0';
	at = strstr(text, key);
	if (at)
		value = strtoul(at + strlen(key), NULL, 10);
	return value;
}

static void open_rings(const char *file)
{
	char path[4096];

	for (int cpu = 0; cpu < CPUS_MAX; cpu++) {
		struct ring *ring = &rings[n_rings];

		snprintf(path, sizeof(path), "per_cpu/cpu%d/trace_pipe_raw", cpu);
		ring->raw = openat(place, path, O_RDONLY | O_CLOEXEC);
		if (ring->raw < 0)
			break;
		snprintf(path, sizeof(path), "%s.%d", file, cpu);
		ring->file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		if (ring->file < 0 || pipe2(ring->pipe, O_CLOEXEC) < 0 ||
		    fcntl(ring->pipe[1], F_SETPIPE_SZ, PIPE_SIZE) < 0)
			die(path);
		n_rings++;
	}
}

int main(int argc, char *argv[])
{
	unsigned long bytes = 0, events = 0, lost = 0;
	bool maps = argc > 1 && strcmp(argv[1], "-m") == 0;
	int status;
	pid_t pid;

	argc -= maps;
	argv += maps;
	if (argc < 4) {
		fprintf(stderr, "usage: bare-splice [-m] DIRECTORY FILE COMMAND...\n");
		return 2;
	}
	place = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (place < 0)
		die(argv[1]);
	sigaction(SIGUSR1, &(struct sigaction){ .sa_handler = wake }, NULL);
	open_rings(argv[2]);
	for (int i = 0; i < n_rings && maps; i++)
		map_ring(&rings[i]);
	keep_out();
	pthread_barrier_init(&ready, NULL, (unsigned)n_rings + 1);
	for (int i = 0; i < n_rings; i++)
		if (pthread_create(&rings[i].thread, NULL, maps ? run_mapped : run, &rings[i]))
			die("pthread_create");
	pthread_barrier_wait(&ready);
	pid = fork();
	if (pid == 0) {
		put("tracing_on", "1");
		execvp(argv[3], argv + 3);
		die(argv[3]);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		die("fork");
	put("tracing_on", "0");
	stops = true;
	for (int i = 0; i < n_rings; i++) {
		while (!seen[i]) {
			pthread_kill(rings[i].thread, SIGUSR1);
			usleep(2000);
		}
		pthread_join(rings[i].thread, NULL);
		bytes += rings[i].bytes;
		events += stat_of(i, "read events: ") + stat_of(i, "entries: ");
		lost += stat_of(i, "overrun: ") + stat_of(i, "dropped events: ");
	}
	printf("%lu %lu %lu\n", bytes, events, lost);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
