/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/export/export-ctf.h"

#include "base/cleanup.h"
#include "export-sample.h"
#include "test.h"

/* A reader's position in a stream. */
struct reader {
	const uint8_t *p, *end;
};

static uint64_t take(struct reader *reader, unsigned size)
{
	uint64_t value = 0;

	assert_true((size_t)(reader->end - reader->p) >= size);
	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)reader->p[i] << 8 * i;
	reader->p += size;
	return value;
}

static const char *take_string(struct reader *reader)
{
	const char *s = (const char *)reader->p;

	reader->p = memchr(s, 0, (size_t)(reader->end - reader->p));
	assert_non_null(reader->p);
	reader->p++;
	return s;
}

struct packet {
	uint64_t begin, end, discarded, cpu;
	struct reader events;
};

static struct packet take_packet(struct reader *reader)
{
	struct packet packet;
	uint64_t bits;

	assert_int_equal(take(reader, 4), CTF_MAGIC);
	assert_int_equal(take(reader, 4), 0);
	bits = take(reader, 8);
	assert_int_equal(take(reader, 8), bits);
	packet.begin = take(reader, 8);
	packet.end = take(reader, 8);
	packet.discarded = take(reader, 8);
	packet.cpu = take(reader, 4);
	packet.events = (struct reader){ reader->p, reader->p - CTF_PACKET_HEAD + bits / 8 };
	assert_true(packet.events.end <= reader->end);
	reader->p = packet.events.end;
	return packet;
}

static void starts_event(struct reader *reader, uint16_t id, uint64_t time, int32_t pid)
{
	assert_int_equal(take(reader, 2), id);
	assert_int_equal(take(reader, 8), time);
	assert_int_equal((int32_t)take(reader, 4), pid);
}

static bool write_sample(struct export_sample *sample, const struct export_sample_event *events)
{
	int r = export_sample_open(sample, &export_ctf, events);

	if (r == 0)
		r = export_sample_write(sample);
	assert_true(r == 0 || r == -ENOMEM);
	return r == 0;
}

static struct reader file(const struct export_sample *sample, unsigned number)
{
	const uint8_t *p = (const uint8_t *)strbuf_str(&sample->files[number]);

	return (struct reader){ p, p + sample->files[number].len };
}

static void lays_out_fields(void **state)
{
	struct export_sample sample;

	if (succeeds(write_sample(
		    &sample, (struct export_sample_event[]){
				     { EXPORT_KINDS, 1, 1000, 42, (uint64_t)-5, 7, 0, "a string" },
				     { EXPORT_UNKNOWN, 1, 1001, 77, 1, 2 },
				     { 0 } }))) {
		struct reader stream = file(&sample, 2);
		struct packet packet = take_packet(&stream);
		struct reader *r = &packet.events;

		assert_true(stream.p == stream.end);
		assert_int_equal(packet.cpu, 1);
		assert_int_equal(packet.begin, 1000);
		assert_int_equal(packet.end, 1001);
		starts_event(r, 9, 1000, 42);
		assert_int_equal(take(r, 1), 200);
		assert_int_equal((int16_t)take(r, 2), -5);
		assert_int_equal(take(r, 8), 7);
		assert_string_equal(take_string(r), "a string");
		assert_int_equal(take(r, 4), 3);
		assert_int_equal(take(r, 4), 1);
		assert_int_equal((int32_t)take(r, 4), -2);
		assert_int_equal(take(r, 4), 3);
		/* Events of unknown format are written as bytes. */
		starts_event(r, 99, 1001, 77);
		assert_int_equal(take(r, 4), 24);
		assert_int_equal(r->end - r->p, 24);
		assert_int_equal(sample.unknown, 1);
	}
	export_sample_done(&sample);
}

static void describes_fields(void **state)
{
	static const char *const wanted[] = {
		"/* CTF 1.8 */\n",
		"byte_order = le;",
		"domain = \"kernel\";",
		"tracer_name = \"perf\";",
		"kernel_release = \"6.1.0\";",
		"machine = \"x86_64\";",
		"name = \"test:kinds\";\n\tid = 9;\n",
		"integer { size = 16; align = 8; signed = true; } _negative;",
		"string _name;",
		"_list[__length_4];",
	};
	struct export_sample sample;

	if (succeeds(write_sample(
		    &sample, (struct export_sample_event[]){
				     { EXPORT_KINDS, 0, 1000, 42, 1, 7, 0, "a string" }, { 0 } })))
		for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
			if (!strstr(strbuf_str(&sample.files[0]), wanted[i]))
				fail_msg("no '%s' in: %s", wanted[i], strbuf_str(&sample.files[0]));
	export_sample_done(&sample);
}

static void counts_losses(void **state)
{
	struct export_sample sample;

	if (succeeds(write_sample(&sample, (struct export_sample_event[]){
						   { EXPORT_PRINT, 0, 1000, 42, 0, 0, 0, "a" },
						   { EXPORT_LOST, 0, 0, 0, 7 },
						   { EXPORT_PRINT, 0, 2000, 42, 0, 0, 0, "b" },
						   { EXPORT_LOST, 0, 0, 0, 3 },
						   { EXPORT_PRINT, 0, 3000, 42, 0, 0, 0, "c" },
						   { 0 } }))) {
		struct reader stream = file(&sample, 1);

		assert_int_equal(take_packet(&stream).discarded, 0);
		assert_int_equal(take_packet(&stream).discarded, 7);
		assert_int_equal(take_packet(&stream).discarded, 10);
		assert_true(stream.p == stream.end);
	}
	export_sample_done(&sample);
}

static void writes_packets_when_they_are_full(void **state)
{
	enum {
		N = 20000
	};
	struct export_sample_event *events = calloc(N + 1, sizeof(*events));
	struct export_sample sample;
	size_t found = 0, packets = 0;

	assert_non_null(events);
	for (unsigned i = 0; i < N; i++)
		events[i] = (struct export_sample_event){
			EXPORT_SYS_EXIT, 0, 1000 + i, 42, i, 0, 0, NULL
		};
	if (succeeds(write_sample(&sample, events))) {
		for (struct reader stream = file(&sample, 1); stream.p < stream.end; packets++) {
			struct packet packet = take_packet(&stream);

			assert_int_equal(packet.begin, 1000 + found);
			for (; packet.events.p < packet.events.end; found++) {
				starts_event(&packet.events, 7, 1000 + found, 42);
				assert_int_equal(take(&packet.events, 8), found);
				take(&packet.events, 8);
			}
			assert_int_equal(packet.end, 1000 + found - 1);
		}
		assert_int_equal(found, N);
		assert_true(packets > 5);
	}
	export_sample_done(&sample);
	free(events);
}

static void survives_failing_allocations(void **state)
{
	static const struct export_sample_event events[] = {
		{ EXPORT_ENTRY, 0, 1000, 42, EXPORT_FIRST, 0 },
		{ EXPORT_KINDS, 1, 1003, 42, 1, 2, 0, "a string" },
		{ EXPORT_UNKNOWN, 0, 1200, 77 },
		{ 0 }
	};
	struct export_sample sample;

	if (succeeds(write_sample(&sample, events)))
		oom_check(export_sample_write, &sample);
	export_sample_done(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lays_out_fields),
		cmocka_unit_test(describes_fields),
		cmocka_unit_test(counts_losses),
		cmocka_unit_test(writes_packets_when_they_are_full),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
