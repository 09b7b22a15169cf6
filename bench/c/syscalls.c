/* The bare loops beside mdtest's phases in one directory: mkdir, stat, rename, rmdir; open(O_CREAT) and
 * close, stat, open and close, unlink. Every path is made before the clock starts. Prints one line for
 * each: its name, operations, nanoseconds, nanoseconds of processor time.
 * Usage: syscalls DIR ITEMS
 * With IN_LINE defined the calls are not those of libc: no function returns between one and the next. Only
 * x86-64 has that; elsewhere both are the same.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(IN_LINE) && defined(__x86_64__)
#define ALWAYS static inline __attribute__((always_inline))

/* By the calling convention of x86-64, syscall(2). */
ALWAYS long direct(long number, long a, long b, long c, long d) {
    register long fourth __asm__("r10") = d;
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "0"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
                     : "rcx", "r11", "memory");
    return result;
}

#define mkdir(path, mode) (int)direct(SYS_mkdir, (long)(path), mode, 0, 0)
#define rmdir(path) (int)direct(SYS_rmdir, (long)(path), 0, 0, 0)
#define unlink(path) (int)direct(SYS_unlink, (long)(path), 0, 0, 0)
#define rename(from, to) (int)direct(SYS_rename, (long)(from), (long)(to), 0, 0)
#define stat(path, about) (int)direct(SYS_newfstatat, AT_FDCWD, (long)(path), (long)(about), 0)
#define open(path, flags, mode) (int)direct(SYS_openat, AT_FDCWD, (long)(path), flags, mode)
#define close(fd) (int)direct(SYS_close, fd, 0, 0, 0)
#else
#define ALWAYS static inline
#endif

enum { LONGEST = 256 };

typedef int (*act)(size_t item);

static char **dirs, **files, aside[LONGEST];
static size_t items;

static void fail(const char *what, const char *path) {
    fprintf(stderr, "%s ", what);
    perror(path);
    exit(1);
}

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t cpu_ns(void) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    uint64_t us = (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    return (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000000u + us * 1000u;
}

/* `DIR/what.mdtest.0.0` and so on, one behind the other. */
static char **paths(const char *dir, const char *what) {
    char **all = malloc(items * sizeof *all), *end = malloc(items * LONGEST);
    if (!all || !end) fail("malloc", what);
    for (size_t i = 0; i < items; i++) {
        all[i] = end;
        end += 1 + sprintf(end, "%s/%s.mdtest.0.%zu", dir, what, i);
    }
    return all;
}

ALWAYS int dir_create(size_t i) { return mkdir(dirs[i], 0755); }

ALWAYS int dir_remove(size_t i) { return rmdir(dirs[i]); }

ALWAYS int dir_stat(size_t i) {
    struct stat about;
    return stat(dirs[i], &about);
}

/* mdtest's ring: the first goes aside, each other takes the name before it. */
ALWAYS int dir_rename(size_t i) {
    const char *from = i && i == items - 1 ? aside : dirs[i];
    return rename(from, i ? dirs[i - 1] : aside);
}

ALWAYS int opened(const char *path, int flags) {
    int fd = open(path, flags, 0664);
    return fd < 0 ? fd : close(fd);
}

ALWAYS int file_create(size_t i) { return opened(files[i], O_CREAT | O_RDWR); }

ALWAYS int file_read(size_t i) { return opened(files[i], O_RDONLY); }

ALWAYS int file_remove(size_t i) { return unlink(files[i]); }

ALWAYS int file_stat(size_t i) {
    struct stat about;
    return stat(files[i], &about);
}

ALWAYS void phase(const char *name, act once) {
    uint64_t cpu = cpu_ns(), start = now_ns();
    for (size_t i = 0; i < items; i++)
        if (once(i)) fail(name, files[i]);
    uint64_t ns = now_ns() - start;
    printf("%s %zu %llu %llu\n", name, items, (unsigned long long)ns,
           (unsigned long long)(cpu_ns() - cpu));
}

int main(int argc, char **argv) {
    items = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;
    if (items < 2 || strlen(argv[1]) > LONGEST - 64) {
        fprintf(stderr, "usage: syscalls DIR ITEMS\n");
        return 2;
    }
    dirs = paths(argv[1], "dir");
    files = paths(argv[1], "file");
    snprintf(aside, LONGEST, "%s/dir.mdtest.0.0-XX", argv[1]);
    phase("dir.create", dir_create);
    phase("dir.stat", dir_stat);
    phase("dir.rename", dir_rename);
    phase("dir.remove", dir_remove);
    phase("file.create", file_create);
    phase("file.stat", file_stat);
    phase("file.read", file_read);
    phase("file.remove", file_remove);
    return 0;
}
