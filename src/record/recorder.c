/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <fathom/version.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/strbuf.h"
#include "format/bytes.h"
#include "format/file/trace-file.h"
#include "record/rings/cpu-stats.h"
#include "record/file/metadata.h"
#include "record/file/task-names.h"

#define OPTIONS_MAX 32

struct recorder {
	char *root;
	int tracefs;
	char **names; /* of the buffers */
	int *places; /* descriptors, not owned */
	size_t n_pumped; /* buffers that the kernel fills; the others follow them */
	size_t n_buffers;
	struct recorder_cpu *cpus; /* by stream */
	size_t n_cpus, n_pumped_cpus;
	int *cpu_places; /* by stream; -1: the caller fills it */
	struct trace_out *out;
	struct pump *pump;
	struct task_names tasks;
	struct strbuf modules; /* contents of /proc/modules when the symbols were read */
	bool has_symbols, keep_rings, snapshot;
	char date[32]; /* value of the option; "": none */
};

static int read_proc(const struct recorder *recorder, const char *file, struct strbuf *text)
{
	_cleanup_free_ char *path = mem_printf("%s/proc/%s", recorder->root, file);

	return path ? file_read(AT_FDCWD, path, text) : -ENOMEM;
}

static int scan_tasks(struct recorder *recorder, enum task_name_rank rank)
{
	_cleanup_free_ char *path = mem_printf("%s/proc", recorder->root);
	_cleanup_close_ int fd = path ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (!path)
		return -ENOMEM;
	return fd < 0 ? 0 : task_names_scan(&recorder->tasks, fd, rank);
}

/*
 * Reads saved_cmdlines and, if the kernel may have evicted names from it, those of current tasks.
 */
static int read_saved_names(struct recorder *recorder)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	size_t before = recorder->tasks.n;
	char size[32];
	int r = file_read(recorder->tracefs, "saved_cmdlines", &text);

	if (r == 0)
		r = task_names_parse(&recorder->tasks, strbuf_str(&text), TASK_NAME_TRACED);
	if (r == -ENOMEM)
		return r;
	if (r == 0 &&
	    file_read_line(recorder->tracefs, "saved_cmdlines_size", size, sizeof(size)) > 0 &&
	    recorder->tasks.n - before < strtoul(size, NULL, 10))
		return 0;
	return scan_tasks(recorder, TASK_NAME_AFTER);
}

static int encode_names(struct recorder *recorder, struct trace_encoder *body)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	task_names_print(&recorder->tasks, &text);
	body->big_endian = BYTES_HOST_BIG;
	trace_encode_text64(body, text.s, text.len);
	return text.err ?: body->out.err;
}

/* Extracts the current clock: "local" from "[local] global ...". */
static void current_clock(const char *text, char *clock, size_t size)
{
	const char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;

	snprintf(clock, size, "%.*s", close ? (int)(close - open - 1) : 0, close ? open + 1 : "");
}

struct option_list {
	struct trace_out_option list[OPTIONS_MAX];
	size_t n;
};

static void recorder_add_option(struct option_list *options, uint16_t id, const void *data,
				size_t size)
{
	if (options->n < OPTIONS_MAX)
		options->list[options->n++] = (struct trace_out_option){ id, data, (uint32_t)size };
}

/* Data that is needed until the head of the file has been written. */
struct front {
	struct metadata metadata;
	struct trace_encoder names;
	struct strbuf clock;
	struct option_list options;
	char uname[400];
	char version[64];
	uint8_t trace_id[8], cpu_count[4];
	struct trace_out_buffer *buffers;
	char (*clocks)[64];
	uint32_t **cpus;
	size_t n_buffers;
};

static void front_done(struct front *front)
{
	metadata_done(&front->metadata);
	trace_encoder_done(&front->names);
	strbuf_done(&front->clock);
	for (size_t i = 0; front->cpus && i < front->n_buffers; i++)
		free(front->cpus[i]);
	free(front->cpus);
	free(front->clocks);
	free(front->buffers);
}

static void front_options(struct front *front, const struct recorder_spec *spec)
{
	struct utsname name;
	uint64_t id = 0;
	uint32_t n = 0;

	if (uname(&name) == 0)
		snprintf(front->uname, sizeof(front->uname), "%s %s %s %s", name.sysname,
			 name.nodename, name.release, name.machine);
	snprintf(front->version, sizeof(front->version), "fathom %s", fathom_version());
	if (getrandom(&id, sizeof(id), GRND_NONBLOCK) != sizeof(id))
		id = (uint64_t)time(NULL) << 20 | (uint64_t)getpid();
	store_u64(front->trace_id, id, BYTES_HOST_BIG);
	for (size_t i = 0; i < front->buffers[0].n_cpus; i++)
		if (front->buffers[0].cpus[i] >= n)
			n = front->buffers[0].cpus[i] + 1;
	store_u32(front->cpu_count, n, BYTES_HOST_BIG);
	recorder_add_option(&front->options, TRACE_ID_TRACECLOCK, strbuf_str(&front->clock),
			    front->clock.len + 1);
	recorder_add_option(&front->options, TRACE_ID_UNAME, front->uname,
			    strlen(front->uname) + 1);
	recorder_add_option(&front->options, TRACE_ID_VERSION, front->version,
			    strlen(front->version) + 1);
	recorder_add_option(&front->options, TRACE_ID_TRACEID, front->trace_id,
			    sizeof(front->trace_id));
	recorder_add_option(&front->options, TRACE_ID_CPUCOUNT, front->cpu_count,
			    sizeof(front->cpu_count));
	if (spec->info)
		recorder_add_option(&front->options, TRACE_ID_FATHOM_INFO, spec->info,
				    strlen(spec->info) + 1);
	for (size_t i = 0; i < spec->n_options; i++)
		recorder_add_option(&front->options, spec->options[i].id, spec->options[i].data,
				    spec->options[i].size);
}

static int describe_buffer(struct front *front, const struct recorder_buffer *from, size_t i,
			   struct fathom_err *err)
{
	struct trace_out_buffer *buffer = &front->buffers[i];
	_cleanup_strbuf_ struct strbuf clock = { 0 };
	int r = cpu_list_read(from->place, &front->cpus[i], &buffer->n_cpus);

	if (r < 0)
		return err_set_errno(err, r, "cannot list the CPUs of buffer '%s'", from->name);
	r = file_read(from->place, "trace_clock", &clock);
	if (r < 0)
		return err_set_errno(err, r, "cannot read 'trace_clock'");
	current_clock(strbuf_str(&clock), front->clocks[i], sizeof(front->clocks[i]));
	buffer->name = from->name;
	buffer->clock = front->clocks[i];
	buffer->cpus = front->cpus[i];
	if (i == 0)
		strbuf_add(&front->clock, clock.s, clock.len);
	return metadata_page_size(from->place, &buffer->page_size, err);
}

static int describe_buffers(struct front *front, const struct recorder_spec *spec,
			    struct fathom_err *err)
{
	int r = 0;

	front->buffers = mem_zalloc(spec->n_buffers, sizeof(*front->buffers));
	front->clocks = mem_zalloc(spec->n_buffers, sizeof(*front->clocks));
	front->cpus = mem_zalloc(spec->n_buffers, sizeof(*front->cpus));
	if (!front->buffers || !front->clocks || !front->cpus)
		return err_nomem(err);
	front->n_buffers = spec->n_buffers;
	for (size_t i = 0; i < spec->n_buffers && r == 0; i++)
		r = describe_buffer(front, &spec->buffers[i], i, err);
	return r;
}

static int recorder_make_file(struct recorder *recorder, const struct recorder_spec *spec,
			      struct front *front, struct fathom_err *err)
{
	struct trace_out_section sections[METADATA_SECTIONS + 1];
	struct trace_out_spec out = { .page_size = front->buffers[0].page_size,
				      .sections = sections,
				      .options = front->options.list,
				      .n_options = front->options.n,
				      .buffers = front->buffers,
				      .n_buffers = front->n_buffers };

	out.n_sections = metadata_sections(&front->metadata, sections);
	sections[out.n_sections++] = (struct trace_out_section){ TRACE_ID_CMDLINES,
								 front->names.out.s,
								 front->names.out.len };
	return trace_out_new(spec->fd, &out, &recorder->out, err);
}

static int make_front(struct recorder *recorder, const struct recorder_spec *spec,
		      struct fathom_err *err)
{
	_cleanup_(front_done) struct front front = { 0 };
	struct metadata_source source = { .root = spec->root,
					  .tracefs = spec->tracefs,
					  .places = recorder->places,
					  .n_places = recorder->n_buffers,
					  .flags = spec->metadata,
					  .enums = spec->enums,
					  .symbols = spec->symbols,
					  .env = spec->env };
	int r = describe_buffers(&front, spec, err);

	if (r == 0)
		r = metadata_read(&source, &front.metadata, err);
	if (r < 0)
		return r;
	recorder->has_symbols = front.metadata.has_symbols;
	if (recorder->has_symbols)
		read_proc(recorder, "modules", &recorder->modules);
	if (scan_tasks(recorder, TASK_NAME_BEFORE) < 0 || encode_names(recorder, &front.names) < 0)
		return err_nomem(err);
	front_options(&front, spec);
	return recorder_make_file(recorder, spec, &front, err);
}

static int make_pump(struct recorder *recorder, const struct recorder_spec *spec,
		     struct fathom_err *err)
{
	size_t n;
	struct trace_out_stream *streams = trace_out_streams(recorder->out, &n);
	_cleanup_free_ struct pump_source *sources = mem_zalloc(n, sizeof(*sources));
	size_t buffer = 0;

	recorder->cpus = mem_zalloc(n, sizeof(*recorder->cpus));
	recorder->cpu_places = mem_zalloc(n, sizeof(*recorder->cpu_places));
	if (!sources || !recorder->cpus || !recorder->cpu_places)
		return err_nomem(err);
	recorder->n_cpus = n;
	for (size_t i = 0; i < n; i++) {
		/* The CPUs of each buffer are sorted. */
		if (i && streams[i].cpu <= streams[i - 1].cpu)
			buffer++;
		recorder->cpu_places[i] = -1;
		if (buffer < recorder->n_pumped) {
			recorder->cpu_places[i] = recorder->places[buffer];
			recorder->n_pumped_cpus++;
		}
		recorder->cpus[i].buffer = recorder->names[buffer];
		recorder->cpus[i].cpu = streams[i].cpu;
		streams[i].keep = spec->keep;
		sources[i] = (struct pump_source){ recorder->places[buffer], &streams[i] };
	}
	return pump_new(sources, recorder->n_pumped_cpus, &spec->pump, &recorder->pump, err);
}

static int recorder_copy_buffers(struct recorder *recorder, const struct recorder_spec *spec)
{
	recorder->root = mem_strdup(spec->root);
	recorder->places = mem_zalloc(spec->n_buffers, sizeof(int));
	recorder->names = mem_zalloc(spec->n_buffers, sizeof(char *));
	if (!recorder->root || !recorder->places || !recorder->names)
		return -ENOMEM;
	recorder->n_buffers = spec->n_buffers;
	for (size_t i = 0; i < spec->n_buffers; i++) {
		recorder->places[i] = spec->buffers[i].place;
		recorder->n_pumped += !spec->buffers[i].is_own;
		recorder->names[i] = mem_strdup(spec->buffers[i].name);
		if (!recorder->names[i])
			return -ENOMEM;
	}
	return 0;
}

int recorder_describe(const struct recorder_spec *spec, struct fathom_err *err)
{
	_cleanup_recorder_ struct recorder *recorder = mem_zalloc(1, sizeof(*recorder));

	if (!recorder || recorder_copy_buffers(recorder, spec) < 0)
		return err_nomem(err);
	recorder->tracefs = spec->tracefs;
	return make_front(recorder, spec, err);
}

int recorder_new(const struct recorder_spec *spec, struct recorder **ret_recorder,
		 struct fathom_err *err)
{
	_cleanup_recorder_ struct recorder *recorder = mem_zalloc(1, sizeof(*recorder));
	int r;

	if (!recorder || recorder_copy_buffers(recorder, spec) < 0)
		return err_nomem(err);
	recorder->tracefs = spec->tracefs;
	recorder->keep_rings = spec->keep_rings;
	recorder->snapshot = spec->pump.snapshot;
	r = make_front(recorder, spec, err);
	if (r == 0 && spec->described)
		r = spec->described(spec->described_data, err);
	if (r == 0)
		r = make_pump(recorder, spec, err);
	if (r < 0)
		return r;
	*ret_recorder = TAKE_PTR(recorder);
	return 0;
}

void recorder_free(struct recorder *recorder)
{
	if (!recorder)
		return;
	pump_free(recorder->pump);
	trace_out_free(recorder->out);
	for (size_t i = 0; recorder->names && i < recorder->n_buffers; i++)
		free(recorder->names[i]);
	task_names_done(&recorder->tasks);
	strbuf_done(&recorder->modules);
	free(recorder->cpu_places);
	free(recorder->cpus);
	free(recorder->names);
	free(recorder->places);
	free(recorder->root);
	free(recorder);
}

const pid_t *recorder_threads(const struct recorder *recorder, size_t *ret_n)
{
	return pump_threads(recorder->pump, ret_n);
}

void recorder_go(struct recorder *recorder)
{
	if (!recorder->keep_rings)
		pump_go(recorder->pump);
}

int recorder_fd(const struct recorder *recorder)
{
	return pump_fd(recorder->pump);
}

uint64_t recorder_bytes(const struct recorder *recorder)
{
	size_t n;
	const struct trace_out_stream *streams = trace_out_streams(recorder->out, &n);
	uint64_t bytes = 0;

	for (size_t i = 0; i < n; i++)
		bytes += streams[i].size;
	return bytes;
}

int recorder_tick(struct recorder *recorder)
{
	if (recorder->keep_rings)
		return 0;
	pump_flush(recorder->pump);
	return trace_out_checkpoint(recorder->out);
}

struct trace_out_stream *recorder_own_streams(struct recorder *recorder, const char *buffer,
					      size_t *ret_n)
{
	size_t n, first = recorder->n_pumped_cpus, end;
	struct trace_out_stream *streams = trace_out_streams(recorder->out, &n);

	while (first < n && !str_eq(recorder->cpus[first].buffer, buffer))
		first++;
	for (end = first; end < n && str_eq(recorder->cpus[end].buffer, buffer);)
		end++;
	*ret_n = end - first;
	return streams + first;
}

int recorder_name_tasks(struct recorder *recorder)
{
	return scan_tasks(recorder, TASK_NAME_BEFORE);
}

int recorder_add_name(struct recorder *recorder, pid_t pid, const char *name)
{
	return task_names_add(&recorder->tasks, pid, name, TASK_NAME_NOTED);
}

void recorder_count(struct recorder *recorder, struct recorder_totals *ret_totals)
{
	size_t n;
	const struct trace_out_stream *streams = trace_out_streams(recorder->out, &n);

	*ret_totals = (struct recorder_totals){ .cpus = recorder->cpus, .n_cpus = n };
	for (size_t i = 0; i < n; i++) {
		struct recorder_cpu *cpu = &recorder->cpus[i];
		struct cpu_stats stats;

		cpu->bytes = streams[i].size;
		/* The kernel has no statistics of the snapshot. */
		if (!recorder->snapshot &&
		    cpu_stats_read(recorder->cpu_places[i], cpu->cpu, &stats, NULL) == 0) {
			cpu->events = stats.read;
			cpu->lost = cpu_stats_lost(&stats);
			cpu->waiting = stats.bytes;
			cpu->made = stats.read + stats.entries + cpu->lost;
		}
		ret_totals->bytes += cpu->bytes;
		ret_totals->events += cpu->events;
		ret_totals->lost += cpu->lost;
		ret_totals->made += cpu->made;
		if (cpu->waiting > ret_totals->fullest)
			ret_totals->fullest = cpu->waiting;
	}
}

int recorder_stop(struct recorder *recorder, struct recorder_totals *ret_totals,
		  struct fathom_err *err)
{
	int r;

	r = pump_stop(recorder->pump, err);
	recorder_count(recorder, ret_totals);
	/* Settings can be restored once the rings are closed. */
	pump_free(recorder->pump);
	recorder->pump = NULL;
	return r;
}

/* Returns the timestamp of page @n of a stream, or 0 if it cannot be read. */
static uint64_t recorder_page_time(const struct trace_out_stream *stream, uint64_t n)
{
	uint64_t time = 0;
	off_t at = (off_t)(stream->start + n * stream->page_size);

	return pread(stream->fd, &time, sizeof(time), at) == sizeof(time) ? time : 0;
}

/*
 * Returns the index of the first of @n pages with events at or after @from, which is the one before
 * the first page that starts later.
 */
static uint64_t recorder_first_page(const struct trace_out_stream *stream, uint64_t n,
				    uint64_t from)
{
	uint64_t low = 0, high = n;

	while (low < high) {
		uint64_t mid = low + (high - low) / 2;

		if (recorder_page_time(stream, mid) <= from)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? low - 1 : 0;
}

uint64_t recorder_keep_last(struct recorder *recorder, uint64_t ns)
{
	size_t n;
	struct trace_out_stream *streams = trace_out_streams(recorder->out, &n);
	uint64_t last = 0, first = UINT64_MAX, from;

	for (size_t i = 0; i < n; i++) {
		uint64_t pages = streams[i].size / streams[i].page_size;

		if (pages && recorder_page_time(&streams[i], pages - 1) > last)
			last = recorder_page_time(&streams[i], pages - 1);
	}
	from = last > ns ? last - ns : 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t pages = streams[i].size / streams[i].page_size;

		if (!pages)
			continue;
		trace_out_drop(&streams[i], recorder_first_page(&streams[i], pages, from) *
						    streams[i].page_size);
		if (recorder_page_time(&streams[i], 0) < first)
			first = recorder_page_time(&streams[i], 0);
	}
	return first < last ? last - first : 0;
}

void recorder_add_date(struct recorder *recorder)
{
	struct timespec before, after;
	struct cpu_stats stats;
	int64_t wall;

	clock_gettime(CLOCK_REALTIME, &before);
	if (cpu_stats_read(recorder->cpu_places[0], recorder->cpus[0].cpu, &stats, NULL) < 0)
		return;
	clock_gettime(CLOCK_REALTIME, &after);
	wall = (before.tv_sec + after.tv_sec) / 2 * 1000000 +
	       (before.tv_nsec + after.tv_nsec) / 2000 +
	       ((before.tv_sec + after.tv_sec) % 2) * 500000;
	snprintf(recorder->date, sizeof(recorder->date), "0x%" PRIx64,
		 (uint64_t)(wall - (int64_t)(stats.now / 1000)));
}

/* Makes an option of the statistics of each CPU, in the format of trace-cmd. */
static size_t stats_options(struct recorder *recorder, struct trace_out_option *options,
			    struct strbuf *texts)
{
	size_t n = 0;

	for (size_t i = 0; i < recorder->n_cpus; i++) {
		const struct recorder_cpu *cpu = &recorder->cpus[i];
		struct cpu_stats stats;

		if (cpu->buffer[0] && (i == 0 || cpu->buffer != recorder->cpus[i - 1].buffer))
			strbuf_addf(&texts[i], "\nBuffer: %s\n\n", cpu->buffer);
		strbuf_addf(&texts[i], "CPU: %u\n", cpu->cpu);
		if (cpu_stats_read(recorder->cpu_places[i], cpu->cpu, &stats, &texts[i]) < 0)
			continue;
		options[n++] = (struct trace_out_option){ TRACE_ID_CPUSTAT, strbuf_str(&texts[i]),
							  (uint32_t)texts[i].len + 1 };
	}
	return n;
}

/* Collects what became known during the recording: task names, and symbols if modules changed. */
static size_t learned_sections(struct recorder *recorder, struct trace_out_section *sections,
			       struct trace_encoder *names, struct trace_encoder *symbols)
{
	_cleanup_strbuf_ struct strbuf modules = { 0 };
	size_t n = 0;

	read_saved_names(recorder);
	if (encode_names(recorder, names) == 0)
		sections[n++] = (struct trace_out_section){ TRACE_ID_CMDLINES, names->out.s,
							    names->out.len };
	if (!recorder->has_symbols || read_proc(recorder, "modules", &modules) < 0 ||
	    strcmp(strbuf_str(&modules), strbuf_str(&recorder->modules)) == 0)
		return n;
	symbols->big_endian = BYTES_HOST_BIG;
	if (metadata_read_kallsyms(recorder->root, symbols, NULL) == 0)
		sections[n++] = (struct trace_out_section){ TRACE_ID_KALLSYMS, symbols->out.s,
							    symbols->out.len };
	return n;
}

int recorder_finish(struct recorder *recorder, const char *info,
		    const struct trace_out_option *more, size_t n_more,
		    struct trace_out_result *ret_result, struct fathom_err *err)
{
	_cleanup_trace_encoder_ struct trace_encoder names = { 0 };
	_cleanup_trace_encoder_ struct trace_encoder symbols = { 0 };
	_cleanup_free_ struct trace_out_option *options =
		mem_zalloc(recorder->n_cpus + 2 + n_more, sizeof(*options));
	struct strbuf *texts = mem_zalloc(recorder->n_cpus, sizeof(*texts));
	struct trace_out_section sections[2];
	size_t n_options = 0, n_sections;
	int r;

	if (!options || !texts) {
		free(texts);
		return err_nomem(err);
	}
	n_options = stats_options(recorder, options, texts);
	if (recorder->date[0])
		options[n_options++] =
			(struct trace_out_option){ TRACE_ID_DATE, recorder->date,
						   (uint32_t)strlen(recorder->date) + 1 };
	if (info)
		options[n_options++] = (struct trace_out_option){ TRACE_ID_FATHOM_INFO, info,
								  (uint32_t)strlen(info) + 1 };
	for (size_t i = 0; i < n_more; i++)
		options[n_options++] = more[i];
	n_sections = learned_sections(recorder, sections, &names, &symbols);
	r = trace_out_finish(recorder->out, sections, n_sections, options, n_options, ret_result,
			     err);
	for (size_t i = 0; i < recorder->n_cpus; i++)
		strbuf_done(&texts[i]);
	free(texts);
	return r;
}
