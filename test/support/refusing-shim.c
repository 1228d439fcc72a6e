// A file system that refuses what the engine of the store needs, as some network file systems do: preloaded into a process, it acts on files
// that end with .mdb. REFUSED_OF_ENGINE has some of the words locks, maps, hang (the first lock never returns), nfs (statfs reports NFS), and
// held (opening lock.mdb fails with EBUSY, HELD_TIMES times).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

static int refuses(const char *what) {
  const char *words = getenv("REFUSED_OF_ENGINE");
  return words != NULL && strstr(words, what) != NULL;
}

static int ends_with(const char *path, const char *end) {
  size_t length = strlen(path), size = strlen(end);
  return length >= size && strcmp(path + length - size, end) == 0;
}

static int is_file_of_engine(int fd) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return ends_with(path, ".mdb");
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int is_lock(int command) { return command == F_SETLK || command == F_SETLKW || command == F_GETLK; }

#define CONTROL(name)                                              \
  int name(int fd, int command, ...) {                             \
    va_list more;                                                  \
    va_start(more, command);                                       \
    void *given = va_arg(more, void *);                            \
    va_end(more);                                                  \
    if (is_lock(command) && is_file_of_engine(fd)) {               \
      if (refuses("hang")) for (;;) pause();                       \
      if (refuses("locks")) return errno = ENOLCK, -1;             \
    }                                                              \
    return NEXT(name)(fd, command, given);                         \
  }
CONTROL(fcntl)
CONTROL(fcntl64)

#define MAP(name, offset_type)                                                                     \
  void *name(void *at, size_t length, int protection, int flags, int fd, offset_type offset) {     \
    if (fd >= 0 && (flags & MAP_SHARED) && refuses("maps") && is_file_of_engine(fd))               \
      return errno = ENODEV, MAP_FAILED;                                                           \
    return NEXT(name)(at, length, protection, flags, fd, offset);                                  \
  }
MAP(mmap, off_t)
MAP(mmap64, off64_t)

#define NFS_SUPER_MAGIC 0x6969
#define STATUS(name)                                             \
  int name(const char *path, struct name *status) {              \
    int result = NEXT(name)(path, status);                       \
    if (result == 0 && refuses("nfs")) status->f_type = NFS_SUPER_MAGIC; \
    return result;                                               \
  }
STATUS(statfs)
STATUS(statfs64)

static int is_held(const char *path) {
  static int refused = 0;
  const char *times = getenv("HELD_TIMES");
  return refuses("held") && ends_with(path, "lock.mdb") && refused++ < (times == NULL ? 0 : atoi(times));
}

#define OPEN(name)                                     \
  int name(const char *path, int flags, ...) {         \
    va_list more;                                      \
    va_start(more, flags);                             \
    int mode = va_arg(more, int);                      \
    va_end(more);                                      \
    if (is_held(path)) return errno = EBUSY, -1;       \
    return NEXT(name)(path, flags, mode);              \
  }
OPEN(open)
OPEN(open64)
