/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "symbols/kernel/module-lines.h"

#include <errno.h>

#ifdef HAVE_LIBDW

#include <elfutils/libdwfl.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "process/confined-call.h"
#include "base/str.h"
#include "symbols/dwarf/dwarf-places.h"

/* Everything is in one file; libdwfl would query servers for others. */
static int find_nothing(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			const char *file, const char *link, GElf_Word crc, char **ret_path)
{
	return -1;
}

static int find_no_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			char **ret_path, Elf **ret_elf)
{
	return -1;
}

static void module_lines_end(Dwfl **dwfl)
{
	dwfl_end(*dwfl);
}

static bool module_lines_find_symbol(Dwfl_Module *module, const char *name, Dwarf_Addr *ret_address)
{
	int n = dwfl_module_getsymtab(module);

	for (int i = 1; i < n; i++) {
		GElf_Sym symbol;
		const char *found =
			dwfl_module_getsym_info(module, i, &symbol, ret_address, NULL, NULL, NULL);

		if (found && GELF_ST_TYPE(symbol.st_info) == STT_FUNC && str_eq(found, name))
			return true;
	}
	return false;
}

/* Finds the unit that contains the code; not all compilers emit an address table of units. */
static Dwarf_Die *module_lines_find_unit(Dwfl_Module *module, Dwarf_Addr address,
					 Dwarf_Addr *ret_bias)
{
	Dwarf_Die *unit = NULL;

	while ((unit = dwfl_module_nextcu(module, unit, ret_bias)))
		if (dwarf_haspc(unit, address - *ret_bias) > 0)
			return unit;
	return NULL;
}

int module_lines_find(const char *path, const char *name, struct arena *arena,
		      const char **ret_file, uint32_t *ret_line)
{
	static const Dwfl_Callbacks callbacks = { .find_elf = find_no_file,
						  .find_debuginfo = find_nothing,
						  .section_address = dwfl_offline_section_address };
	_cleanup_(module_lines_end) Dwfl *dwfl = dwfl_begin(&callbacks);
	_cleanup_close_ int fd = confined_open(path);
	Dwfl_Module *module = dwfl && fd >= 0 ? dwfl_report_offline(dwfl, "module", path, fd) :
						NULL;
	const char *file, *copy;
	Dwarf_Addr address, bias;
	Dwarf_Die *unit;
	uint32_t line;

	if (!module)
		return -ENODATA;
	/* Owned by libdwfl now. */
	TAKE_FD(fd);
	dwfl_report_end(dwfl, NULL, NULL);
	if (!dwfl_module_getdwarf(module, &bias))
		return -ENODATA;
	if (!module_lines_find_symbol(module, name, &address))
		return -ENOENT;
	unit = module_lines_find_unit(module, address, &bias);
	if (!unit || !dwarf_declared_at(unit, address - bias, &file, &line))
		return -ENOENT;
	copy = arena_strdup(arena, file);
	if (!copy)
		return -ENOMEM;
	*ret_file = copy;
	*ret_line = line;
	return 0;
}

#else

int module_lines_find(const char *path, const char *name, struct arena *arena,
		      const char **ret_file, uint32_t *ret_line)
{
	return -ENOTSUP;
}

#endif
