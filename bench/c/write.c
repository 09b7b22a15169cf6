/* The bare loop beside columnar.write.int.huge: one fresh file, write(2) of 16 MiB pieces of a
 * random buffer, then fsync(2). Prints bytes, nanoseconds of the writes, nanoseconds of the sync.
 * Usage: write FILE BYTES
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { PIECE = 16 << 20, BUFFER = 2 * PIECE };

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

/* Incompressible, so that no file system can win by not storing it. */
static unsigned char *random_buffer(void) {
    uint64_t *words = malloc(BUFFER);
    if (!words) fail("malloc");
    uint64_t x = 88172645463325252u;
    for (size_t i = 0; i < BUFFER / sizeof *words; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        words[i] = x;
    }
    return (unsigned char *)words;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: write FILE BYTES\n");
        return 2;
    }
    uint64_t bytes = strtoull(argv[2], NULL, 10);
    unsigned char *buffer = random_buffer();

    uint64_t start = now_ns();
    int fd = open(argv[1], O_CREAT | O_EXCL | O_WRONLY, 0666);
    if (fd < 0) fail(argv[1]);
    for (uint64_t done = 0; done < bytes;) {
        size_t piece = bytes - done < PIECE ? bytes - done : PIECE;
        ssize_t wrote = write(fd, buffer + done % PIECE, piece);
        if (wrote <= 0) fail("write");
        done += (uint64_t)wrote;
    }
    uint64_t written = now_ns();
    if (fsync(fd)) fail("fsync");
    uint64_t synced = now_ns();

    printf("%llu %llu %llu\n", (unsigned long long)bytes, (unsigned long long)(written - start),
           (unsigned long long)(synced - written));
    return 0;
}
