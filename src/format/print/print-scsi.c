/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Decodes SCSI commands as the kernel's scsi_trace_parse_cdb() does: the block, the count, and
 * other properties of reads and writes.
 */
#include "base/cleanup.h"
#include "format/print/print-program.h"

/* Where a command has its numbers: first byte and length. */
struct layout {
	unsigned char opcode;
	unsigned char need; /* length of the command in bytes */
	unsigned char lba, lba_size;
	unsigned char count, count_size;
	unsigned char protect; /* the byte whose top three bits are the protection mode, or 0 */
	bool unmap; /* bit 3 of that byte: unmap */
};

static const struct layout layouts[] = {
	{ 0x28, 10, 2, 4, 7, 2, 1 },	    { 0x2f, 10, 2, 4, 7, 2, 1 },
	{ 0x2a, 10, 2, 4, 7, 2, 1 },	    { 0x41, 10, 2, 4, 7, 2, 1, true },
	{ 0xa8, 12, 2, 4, 6, 4, 1 },	    { 0xaf, 12, 2, 4, 6, 4, 1 },
	{ 0xaa, 12, 2, 4, 6, 4, 1 },	    { 0x88, 16, 2, 8, 10, 4, 1 },
	{ 0x8f, 16, 2, 8, 10, 4, 1 },	    { 0x8a, 16, 2, 8, 10, 4, 1 },
	{ 0x93, 16, 2, 8, 10, 4, 1, true },
};

static const struct {
	unsigned action;
	const char *name;
} long_commands[] = {
	{ 0x09, "READ" },
	{ 0x0a, "VERIFY" },
	{ 0x0b, "WRITE" },
	{ 0x0d, "WRITE_SAME" },
};

static uint64_t print_scsi_big_endian(const unsigned char *p, unsigned size)
{
	uint64_t n = 0;

	while (size--)
		n = n << 8 | *p++;
	return n;
}

static void print_scsi_key(struct text *text, const char *name, uint64_t value)
{
	text_str(text, name);
	text_u64(text, value);
}

static void read_write_6(struct text *text, const unsigned char *cdb)
{
	print_scsi_key(text, "lba=", print_scsi_big_endian(cdb + 1, 3) & 0x1fffff);
	/* In six-byte commands a count of 0 means 256. */
	print_scsi_key(text, " txlen=", cdb[4] ? cdb[4] : 256);
}

static void read_write(struct text *text, const struct layout *layout, const unsigned char *cdb)
{
	print_scsi_key(text, "lba=", print_scsi_big_endian(cdb + layout->lba, layout->lba_size));
	print_scsi_key(text,
		       " txlen=", print_scsi_big_endian(cdb + layout->count, layout->count_size));
	print_scsi_key(text, " protect=", cdb[layout->protect] >> 5);
	if (layout->unmap)
		print_scsi_key(text, " unmap=", cdb[layout->protect] >> 3 & 1);
}

static void service_action(struct text *text, const unsigned char *cdb)
{
	unsigned action = cdb[1] & 0x1f;

	if (action != 0x10 && action != 0x12) {
		text_str(text, "UNKNOWN");
		return;
	}
	text_str(text, action == 0x10 ? "READ_CAPACITY_16" : "GET_LBA_STATUS");
	print_scsi_key(text, " lba=", print_scsi_big_endian(cdb + 2, 8));
	print_scsi_key(text, " alloc_len=", print_scsi_big_endian(cdb + 10, 4));
}

static void variable_length(struct text *text, const unsigned char *cdb)
{
	unsigned action = (unsigned)print_scsi_big_endian(cdb + 8, 2);

	for (size_t i = 0; i < ARRAY_SIZE(long_commands); i++) {
		if (long_commands[i].action != action)
			continue;
		text_str(text, long_commands[i].name);
		print_scsi_key(text, "_32 lba=", print_scsi_big_endian(cdb + 12, 8));
		print_scsi_key(text, " txlen=", print_scsi_big_endian(cdb + 28, 4));
		print_scsi_key(text, " protect=", cdb[10] >> 5);
		print_scsi_key(text, " ei_lbrt=", print_scsi_big_endian(cdb + 20, 4));
		if (action == 0x0d)
			print_scsi_key(text, " unmap=", cdb[10] >> 3 & 1);
		return;
	}
	text_char(text, '-');
}

void print_scsi(struct print_run *run, uint64_t memory, uint64_t len)
{
	size_t size;
	const unsigned char *cdb = print_memory(run, memory, &size);
	struct text *text = run->text;

	if (!cdb || !size || len > size) {
		run->unknown = true;
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
		if (layouts[i].opcode == cdb[0]) {
			if (size >= layouts[i].need)
				read_write(text, &layouts[i], cdb);
			else
				run->unknown = true;
			return;
		}
	if ((cdb[0] == 0x08 || cdb[0] == 0x0a) && size >= 6)
		read_write_6(text, cdb);
	else if (cdb[0] == 0x42 && size >= 10)
		print_scsi_key(text,
			       "regions=", (uint32_t)(print_scsi_big_endian(cdb + 7, 2) - 8) / 16);
	else if (cdb[0] == 0x9e && size >= 16)
		service_action(text, cdb);
	else if (cdb[0] == 0x7f && size >= 32)
		variable_length(text, cdb);
	else
		text_char(text, '-');
}
