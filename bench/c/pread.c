/* The bare loop beside random reads: xorshift offsets, pread(2), nothing else. The clock is looked at
 * once in 1024 reads; with `clock` after each read, as whoever measures every latency has to. Prints
 * operations and nanoseconds.
 * Usage: pread FILE BLOCK_BYTES SECONDS [direct] [clock]
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: pread FILE BLOCK_BYTES SECONDS [direct] [clock]\n");
        return 2;
    }
    int direct = 0, every = 1024;
    for (int i = 4; i < argc; i++) {
        if (!strcmp(argv[i], "direct")) direct = O_DIRECT;
        if (!strcmp(argv[i], "clock")) every = 1;
    }
    int fd = open(argv[1], O_RDONLY | direct);
    if (fd < 0) fail(argv[1]);
    struct stat about;
    if (fstat(fd, &about)) fail("fstat");
    uint64_t block = strtoull(argv[2], NULL, 10);
    uint64_t blocks = block ? (uint64_t)about.st_size / block : 0;
    uint64_t limit_ns = (uint64_t)(strtod(argv[3], NULL) * 1e9);
    void *buffer;
    if (!blocks || posix_memalign(&buffer, 4096, block)) fail("no block");

    uint64_t x = 88172645463325252u, ops = 0, start = now_ns(), now;
    do {
        for (int i = 0; i < every; i++) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            uint64_t at = (uint64_t)(((unsigned __int128)x * blocks) >> 64) * block;
            if (pread(fd, buffer, block, (off_t)at) != (ssize_t)block) fail("pread");
        }
        ops += (uint64_t)every;
        now = now_ns();
    } while (now - start < limit_ns);
    printf("%llu %llu\n", (unsigned long long)ops, (unsigned long long)(now - start));
    return 0;
}
