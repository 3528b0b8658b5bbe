/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <sys/utsname.h>

#include "kernel/host.h"

static void an_empty_root_yields_unknown(void **state)
{
	_cleanup_host_ struct host host = { 0 };

	require(host_init(&host, tree_root(), NULL) >= 0);
	assert_int_equal(host.lockdown, LOCKDOWN_UNKNOWN);
	assert_int_equal(host.perf_paranoid, HOST_SYSCTL_UNKNOWN);
	assert_null(host.container);
	assert_false(host.user_namespace);
	assert_int_equal(host_config(&host, "CONFIG_FTRACE"), 0);
	assert_string_equal(host.config_path, "");
}

static void reads_privileges_and_sysctls(void **state)
{
	_cleanup_host_ struct host host = { 0 };

	tree_file("/proc/self/status", "Name:\tx\nCapEff:\t000000c000000000\nSeccomp:\t2\n");
	tree_file("/proc/self/uid_map", "         0     100000      65536\n");
	tree_file("/proc/sys/kernel/perf_event_paranoid", "-1\n");
	tree_file("/proc/sys/kernel/kptr_restrict", "rubbish\n");
	tree_file("/proc/sys/kernel/ftrace_enabled", "0\n");
	tree_file("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	tree_file("/.dockerenv", "");
	require(host_init(&host, tree_root(), NULL) >= 0);
	assert_true(host_has_cap(&host, 38));
	assert_true(host_has_cap(&host, 39));
	assert_false(host_has_cap(&host, 21));
	assert_false(host_has_cap(&host, 64));
	assert_true(host.seccomp);
	assert_true(host.user_namespace);
	assert_int_equal(host.perf_paranoid, -1);
	assert_int_equal(host.kptr_restrict, HOST_SYSCTL_UNKNOWN);
	assert_int_equal(host.ftrace_enabled, 0);
	assert_int_equal(host.lockdown, LOCKDOWN_INTEGRITY);
	assert_string_equal(host.container, "/.dockerenv");
}

static void reads_the_configuration(void **state)
{
	_cleanup_host_ struct host host = { 0 };
	struct utsname uts;
	char path[160];

	uname(&uts);
	snprintf(path, sizeof(path), "/boot/config-%s", uts.release);
	tree_file(path, "CONFIG_FPROBE_EVENTS=y\n# CONFIG_FPROBE is not set\nCONFIG_NINE=m\n"
			"CONFIG_TEXT=\"CONFIG_OTHER=y\"\n");
	require(host_init(&host, tree_root(), NULL) >= 0);
	require(host_config(&host, "CONFIG_NINE"));
	assert_int_equal(host_config(&host, "CONFIG_FPROBE_EVENTS"), 'y');
	assert_int_equal(host_config(&host, "CONFIG_FPROBE"), 'n');
	assert_int_equal(host_config(&host, "CONFIG_NINE"), 'm');
	assert_int_equal(host_config(&host, "CONFIG_OTHER"), 'n');
	assert_string_equal(host.config_path, path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(an_empty_root_yields_unknown, tree_setup,
						tree_teardown),
		cmocka_unit_test_setup_teardown(reads_privileges_and_sysctls, tree_setup,
						tree_teardown),
		cmocka_unit_test_setup_teardown(reads_the_configuration, tree_setup, tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
