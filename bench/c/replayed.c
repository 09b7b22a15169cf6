/* The calls of the traces that `made` writes, without anything beside them: reads COUNT FILE reads blocks of a cached
 * file of 64 MiB, names COUNT DIR makes, looks at, moves and removes a file. Prints nanoseconds. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    uint64_t count = strtoull(argv[2], NULL, 10), begun;
    if (strcmp(argv[1], "reads") == 0) {
        static char block[4096] __attribute__((aligned(4096)));
        uint64_t state = 1;
        int fd = open(argv[3], O_RDONLY);
        if (fd < 0)
            fail("open");
        begun = now();
        for (uint64_t i = 0; i < count; i++) {
            state = state * 6364136223846793005ull + 1442695040888963407ull;
            if (pread(fd, block, 4096, (state >> 33) % 16384 * 4096) != 4096)
                fail("pread");
        }
    } else {
        int dir = open(argv[3], O_RDONLY | O_DIRECTORY);
        if (dir < 0)
            fail("open");
        begun = now();
        for (uint64_t i = 0; i < count / 5; i++) {
            struct stat about;
            int fd = openat(dir, "r0/one", O_CREAT | O_RDWR | O_CLOEXEC, 0644);
            if (fd < 0 || close(fd) || fstatat(dir, "r0/one", &about, 0)
                || renameat(dir, "r0/one", dir, "r0/two") || unlinkat(dir, "r0/two", 0))
                fail("names");
        }
    }
    printf("%llu\n", (unsigned long long)(now() - begun));
    return 0;
}
