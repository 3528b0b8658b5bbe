/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "record/session/journal.h"

static int create(struct journal *journal)
{
	const char *begin[BEGIN_FIELDS] = {
		[BEGIN_BOOT] = "boot",	     [BEGIN_PID] = "77", [BEGIN_START] = "1",
		[BEGIN_PID_NAMESPACE] = "2", [BEGIN_TIME] = "3", [BEGIN_COMMAND] = "command"
	};

	return journal_create(tree_fd(), begin, journal, NULL);
}

static int publish_new(struct journal *journal)
{
	int r = create(journal);

	return r < 0 ? r : journal_publish(journal, NULL);
}

/* The bytes of a journal with a record of each kind that can be restored. */
static bool sample(struct strbuf *bytes, size_t ends[static 6])
{
	const char *begin[] = { JOURNAL_VERSION, "0123abcd", "boot", "77", "1", "2", "3", "cmd" };
	const char *setting[] = { "", "set_ftrace_filter", "a\nb\n" };
	const char *sysctl[] = { "kernel/kptr_restrict", "1" };
	const char *instance[] = { "fathom-0123abcd" };
	const char *event[] = { "g/n" };
	const char *number[] = { "2" };

	record_encode(bytes, 0, RECORD_BEGIN, begin, BEGIN_FIELDS);
	ends[0] = bytes->len;
	record_encode(bytes, 1, RECORD_SETTING, setting, 3);
	ends[1] = bytes->len;
	record_encode(bytes, 2, RECORD_INSTANCE, instance, 1);
	ends[2] = bytes->len;
	record_encode(bytes, 3, RECORD_SYSCTL, sysctl, 2);
	ends[3] = bytes->len;
	record_encode(bytes, 4, RECORD_EVENT, event, 1);
	ends[4] = bytes->len;
	record_encode(bytes, 5, RECORD_VOID, number, 1);
	ends[5] = bytes->len;
	return !bytes->err;
}

static void reads_encoded_records(void **state)
{
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	_cleanup_records_ struct records records = { 0 };
	size_t ends[6];

	require(sample(&bytes, ends) && records_parse(bytes.s, bytes.len, &records, NULL) >= 0);
	assert_int_equal(records.n, 6);
	assert_int_equal(records.torn, 0);
	assert_string_equal(records.list[0].field[BEGIN_COMMAND], "cmd");
	assert_int_equal(records.list[1].type, RECORD_SETTING);
	assert_string_equal(records.list[1].field[0], "");
	assert_string_equal(records.list[1].field[2], "a\nb\n");
	assert_true(records.list[2].is_void);
	assert_false(records.list[1].is_void);
}

/* Truncated anywhere, the complete records are read, and nothing else. */
static void ignores_a_torn_end_at_every_byte(void **state)
{
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	size_t ends[6], whole = 0;

	/* With failing allocations, every round would end in the same way. */
	require_memory();
	require(sample(&bytes, ends));
	for (size_t size = 0; size <= bytes.len; size++) {
		_cleanup_records_ struct records records = { 0 };
		_cleanup_free_ char *copy = malloc(size + 1);
		int r;

		memcpy(copy, bytes.s, size);
		r = records_parse(copy, size, &records, NULL);
		require(r != -ENOMEM);
		while (whole < 6 && ends[whole] <= size)
			whole++;
		assert_int_equal(r, whole ? 0 : -EBADMSG);
		assert_int_equal(records.n, whole);
		if (whole)
			assert_int_equal(records.torn, size - ends[whole - 1]);
	}
}

/* If a bit is wrong, no record from there on counts. */
static void detects_any_damage(void **state)
{
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	size_t ends[6], inside = 0;

	/* With failing allocations, every round would end in the same way. */
	require_memory();
	require(sample(&bytes, ends));
	for (size_t at = 0; at < bytes.len; at++) {
		_cleanup_records_ struct records records = { 0 };
		int r;

		while (ends[inside] <= at)
			inside++;
		bytes.s[at] ^= 1 << at % 8;
		r = records_parse(bytes.s, bytes.len, &records, NULL);
		bytes.s[at] ^= 1 << at % 8;
		require(r != -ENOMEM);
		assert_int_equal(r, inside ? 0 : -EBADMSG);
		assert_int_equal(records.n, inside);
	}
}

/* Bytes with a correct checksum and invalid contents. */
static void rejects_invalid_records(void **state)
{
	static const struct {
		unsigned type;
		size_t nfields;
	} odd[] = { { 0, 0 },
		    { RECORD_TYPES, 0 },
		    { 77777, 1 },
		    { RECORD_SETTING, 2 },
		    { RECORD_SETTING, 4 },
		    { RECORD_KEPT, 1 },
		    { RECORD_BEGIN, 7 } };
	const char *fields[] = { "a", "b", "c", "d", "e", "f", "g", "h" };
	const char *begin[] = { JOURNAL_VERSION, "0123abcd", "boot", "77", "1", "2", "3", "cmd" };

	for (size_t i = 0; i < ARRAY_SIZE(odd); i++) {
		_cleanup_strbuf_ struct strbuf bytes = { 0 };
		_cleanup_records_ struct records records = { 0 };
		size_t size;

		record_encode(&bytes, 0, RECORD_BEGIN, begin, BEGIN_FIELDS);
		size = bytes.len;
		record_encode(&bytes, 1, odd[i].type, fields, odd[i].nfields);
		require(!bytes.err && records_parse(bytes.s, bytes.len, &records, NULL) >= 0);
		assert_int_equal(records.n, 1);
		assert_int_equal(records.size, size);
	}
}

static void rejects_other_versions_and_byte_orders(void **state)
{
	const char *begin[] = { "999", "0123abcd", "boot", "77", "1", "2", "3", "cmd" };
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	_cleanup_records_ struct records records = { 0 };
	int r;

	record_encode(&bytes, 0, RECORD_BEGIN, begin, BEGIN_FIELDS);
	require(!bytes.err);
	r = records_parse(bytes.s, bytes.len, &records, NULL);
	assert_true(r == -EBADMSG || r == -ENOMEM);
	strbuf_clear(&bytes);
	/* Number 1 where 0 is expected: a fragment of something else. */
	begin[0] = JOURNAL_VERSION;
	record_encode(&bytes, 1, RECORD_BEGIN, begin, BEGIN_FIELDS);
	require(!bytes.err);
	r = records_parse(bytes.s, bytes.len, &records, NULL);
	assert_true(r == -EBADMSG || r == -ENOMEM);
}

static void writes_and_reads_a_file(void **state)
{
	_cleanup_journal_ struct journal journal = JOURNAL_NONE;
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	_cleanup_records_ struct records records = { 0 };
	const char *name = "one";
	struct stat st;

	require(publish_new(&journal) >= 0);
	assert_true(session_id_is_valid(journal.id));
	assert_int_equal(fstat(journal.fd, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(journal_add(&journal, RECORD_INSTANCE, &name, 1), 1);
	require(journal_commit(&journal, NULL) >= 0 &&
		journal_load(&journal, &bytes, &records, NULL) >= 0);
	assert_int_equal(records.n, 2);
	assert_string_equal(records.list[0].field[BEGIN_ID], journal.id);
	assert_string_equal(records.list[1].field[0], "one");
	assert_int_equal(journal_remove(&journal, NULL), 0);
	assert_int_equal(journal_remove(&journal, NULL), 0);
}

static size_t count_files(void)
{
	int fd = openat(tree_fd(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fdopendir(fd);
	size_t n = 0;

	assert_non_null(dir);
	for (struct dirent *entry; (entry = readdir(dir));)
		n += entry->d_name[0] != '.';
	closedir(dir);
	return n;
}

/* A process killed before the guardian runs leaves nothing behind. */
static void has_no_name_before_it_is_published(void **state)
{
	_cleanup_journal_ struct journal journal = JOURNAL_NONE, other = JOURNAL_NONE;
	size_t before = count_files();

	require(create(&journal) >= 0);
	assert_int_equal(count_files(), before);
	assert_int_equal(journal_open(tree_fd(), journal.id, JOURNAL_LOOK, &other, NULL), -ENOENT);
	assert_int_equal(journal_publish(&journal, NULL), 0);
	assert_int_equal(count_files(), before + 1);
	assert_int_equal(journal_publish(&journal, NULL), -EEXIST);
	assert_int_equal(journal_open(tree_fd(), journal.id, JOURNAL_LOOK, &other, NULL), 0);
	assert_false(other.locked);
}

/* A journal that is opened twice, even in the same process, is locked once. */
static void locks(void **state)
{
	_cleanup_journal_ struct journal journal = JOURNAL_NONE, other = JOURNAL_NONE;
	char id[SESSION_ID_SIZE];

	require(publish_new(&journal) >= 0);
	memcpy(id, journal.id, sizeof(id));
	assert_int_equal(journal_open(tree_fd(), id, JOURNAL_TAKE, &other, NULL), 0);
	assert_false(other.locked);
	journal_done(&other);
	journal_done(&journal);
	/* Readers do not block each other, and are not signs of life. */
	assert_int_equal(journal_open(tree_fd(), id, JOURNAL_LOOK, &journal, NULL), 0);
	assert_int_equal(journal_open(tree_fd(), id, JOURNAL_LOOK, &other, NULL), 0);
	assert_true(other.locked && journal.locked);
	journal_done(&other);
	journal_done(&journal);
	assert_int_equal(journal_open(tree_fd(), id, JOURNAL_TAKE, &other, NULL), 0);
	assert_true(other.locked);
	assert_int_equal(journal_open(tree_fd(), "00000000", JOURNAL_LOOK, &journal, NULL),
			 -ENOENT);
	assert_int_equal(journal_open(tree_fd(), "../../xx", JOURNAL_LOOK, &journal, NULL),
			 -EINVAL);
}

/* A torn record is truncated before the next one is written. */
static void continues_after_a_torn_record(void **state)
{
	_cleanup_journal_ struct journal journal = JOURNAL_NONE, again = JOURNAL_NONE;
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	_cleanup_records_ struct records records = { 0 }, after = { 0 };
	const char *name = "two";
	char id[SESSION_ID_SIZE];

	require(publish_new(&journal) >= 0);
	memcpy(id, journal.id, sizeof(id));
	assert_int_equal(write(journal.fd, "fjr\nrubbish", 11), 11);
	journal_done(&journal);
	assert_int_equal(journal_open(tree_fd(), id, JOURNAL_TAKE, &again, NULL), 0);
	require(journal_load(&again, &bytes, &records, NULL) >= 0);
	assert_int_equal(records.torn, 11);
	journal_add(&again, RECORD_INSTANCE, &name, 1);
	require(journal_commit(&again, NULL) >= 0 &&
		journal_load(&again, &bytes, &after, NULL) >= 0);
	assert_int_equal(after.n, 2);
	assert_int_equal(after.torn, 0);
}

static void rejects_files_writable_by_others(void **state)
{
	_cleanup_journal_ struct journal journal = JOURNAL_NONE, other = JOURNAL_NONE;
	char name[32];

	require(publish_new(&journal) >= 0);
	fchmod(journal.fd, 0666);
	assert_int_equal(journal_open(tree_fd(), journal.id, JOURNAL_LOOK, &other, NULL), -EPERM);
	snprintf(name, sizeof(name), "/%s", "aaaaaaaa.journal");
	tree_link(name, "/etc/passwd");
	assert_int_equal(journal_open(tree_fd(), "aaaaaaaa", JOURNAL_LOOK, &other, NULL), -ELOOP);
	mkfifoat(tree_fd(), "bbbbbbbb.journal", 0600);
	assert_int_equal(journal_open(tree_fd(), "bbbbbbbb", JOURNAL_LOOK, &other, NULL), -EPERM);
	tree_dir("/cccccccc.journal");
	assert_true(journal_open(tree_fd(), "cccccccc", JOURNAL_LOOK, &other, NULL) < 0);
}

static int create_and_load(void *arg)
{
	_cleanup_journal_ struct journal journal = JOURNAL_NONE;
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	_cleanup_records_ struct records records = { 0 };
	const char *name = "one";
	int r = publish_new(&journal);

	if (r < 0)
		return r;
	journal_add(&journal, RECORD_INSTANCE, &name, 1);
	r = journal_commit(&journal, NULL);
	return r < 0 ? r : journal_load(&journal, &bytes, &records, NULL);
}

static void survives_failing_allocations(void **state)
{
	/* One failure at a time is enough. */
	if (!mem_fault)
		oom_check(create_and_load, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_encoded_records),
		cmocka_unit_test(ignores_a_torn_end_at_every_byte),
		cmocka_unit_test(detects_any_damage),
		cmocka_unit_test(rejects_invalid_records),
		cmocka_unit_test(rejects_other_versions_and_byte_orders),
		cmocka_unit_test_setup_teardown(writes_and_reads_a_file, tree_setup, tree_teardown),
		cmocka_unit_test_setup_teardown(has_no_name_before_it_is_published, tree_setup,
						tree_teardown),
		cmocka_unit_test_setup_teardown(locks, tree_setup, tree_teardown),
		cmocka_unit_test_setup_teardown(continues_after_a_torn_record, tree_setup,
						tree_teardown),
		cmocka_unit_test_setup_teardown(rejects_files_writable_by_others, tree_setup,
						tree_teardown),
		cmocka_unit_test_setup_teardown(survives_failing_allocations, tree_setup,
						tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
