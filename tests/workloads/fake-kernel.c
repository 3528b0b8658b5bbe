/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Has a function with the name of a kernel function, and debug information: a file for --vmlinux.
 */
int generic_permission(int mode);

int generic_permission(int mode)
{
	return mode ? -13 : 0;
}

int main(int argc, char **argv)
{
	(void)argv;
	return generic_permission(argc - 1);
}
