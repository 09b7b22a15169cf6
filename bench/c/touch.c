/* The bare loop beside columnar.reread.int.huge: map a resident file, ask for all of it, load one
 * byte of each page in order. Prints bytes and nanoseconds from open(2) to the last load.
 * Usage: touch FILE
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096 };

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
    if (argc != 2) {
        fprintf(stderr, "usage: touch FILE\n");
        return 2;
    }
    uint64_t start = now_ns();
    int fd = open(argv[1], O_RDONLY);
    if (fd < 0) fail(argv[1]);
    struct stat about;
    if (fstat(fd, &about)) fail("fstat");
    size_t bytes = (size_t)about.st_size;
    unsigned char *map = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED) fail("mmap");
    close(fd);
    if (madvise(map, bytes, MADV_WILLNEED)) fail("madvise");
    for (size_t at = 0; at < bytes; at += PAGE) (void)*(volatile unsigned char *)(map + at);
    uint64_t end = now_ns();

    printf("%zu %llu\n", bytes, (unsigned long long)(end - start));
    return 0;
}
