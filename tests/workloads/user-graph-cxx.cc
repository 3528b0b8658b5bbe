/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * user-graph-cxx FILE: writes a file and brings it to its device, out of a method of a class in a
 * namespace. Throws nothing. Prints how often each function is called.
 */
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

namespace store
{
class log {
    public:
	explicit log(const char *path);
	~log();
	bool add(const char *bytes, int len);
	bool flush() const;

    private:
	int fd;
};

NOINLINE log::log(const char *path) : fd(open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600))
{
}

NOINLINE log::~log()
{
	close(fd);
}

NOINLINE bool log::add(const char *bytes, int len)
{
	return write(fd, bytes, (size_t)len) == len;
}

NOINLINE bool log::flush() const
{
	return fsync(fd) == 0;
}
} // namespace store

int main(int argc, char **argv)
{
	if (argc != 2)
		return 1;
	store::log log(argv[1]);
	for (int i = 0; i < 2; i++)
		if (!log.add("a line\n", 7))
			return 1;
	if (!log.flush())
		return 1;
	printf("main 1\nstore::log::add(char const*, int) 2\nstore::log::flush() const 1\n");
	return 0;
}
