/*
 * Makes system calls on the files of one folder fail, by a seeded schedule. Loaded into a process by LD_PRELOAD.
 *
 *   FAULTS_FOLDER   the folder; calls on other files pass
 *   FAULTS_CONTROL  a file of `struct control`, shared with the process that started this one: it turns faults on and off,
 *                   and reads how many there were
 *   FAULTS_SEED     chooses which calls fail, and how
 *   FAULTS_EVERY    one call in so many fails
 *   FAULTS_TRACE    a file that gets a record of each call that changes the folder, in order: `struct record`, the paths and the
 *                   written bytes. Then calls that change it are made one after another
 *
 * A failing call either does nothing, or what a real one may have done: a part of a write, or a flush that is lost.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

/* The order of these counters is known to fault-control.ts. */
enum kind { READ, WRITE, SHORT, TORN, FLUSH, RENAME, OPEN, REMOVE, TRUNCATE, KINDS };

struct control {
  volatile uint32_t enabled;
  volatile uint32_t counts[KINDS];
};

static struct control *control;
static char folder[PATH_MAX];
static size_t folder_length;
static uint64_t state;
static uint32_t every = 100;
/* Which of the open files are in the folder. Higher descriptors are not watched. */
static unsigned char watched[65536];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, tracing = PTHREAD_MUTEX_INITIALIZER;
static int trace = -1;

/* Read by power-cuts.ts. */
struct record {
  uint32_t kind, path_length, other_length, size;
  int64_t offset;
};

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("FAULTS_CONTROL"), *target = getenv("FAULTS_FOLDER");
  const char *seed = getenv("FAULTS_SEED"), *rate = getenv("FAULTS_EVERY");
  if (!path || !target || !realpath(target, folder)) return;
  folder_length = strlen(folder);
  state = seed ? strtoull(seed, NULL, 10) : 1;
  if (rate && atoi(rate) > 0) every = (uint32_t)atoi(rate);
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void *shared = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (shared != MAP_FAILED) control = shared;
  close(file);
  const char *records = getenv("FAULTS_TRACE");
  if (records) trace = open(records, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

/* splitmix64 */
static uint32_t draw(uint32_t below) {
  pthread_mutex_lock(&mutex);
  uint64_t mixed = (state += 0x9e3779b97f4a7c15ull);
  pthread_mutex_unlock(&mutex);
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ull;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebull;
  return (uint32_t)((mixed ^ (mixed >> 31)) >> 16) % below;
}

/* Whether the call fails; then it is counted. */
static int fails(enum kind kind) {
  if (!control || !control->enabled || draw(every) != 0) return 0;
  __sync_fetch_and_add(&control->counts[kind], 1);
  return 1;
}

/* Node closes files by a system call of its own, so a watched descriptor can have become a socket. */
static int is_watched(int file) {
  char name[32], path[PATH_MAX];
  if (!control || file < 0 || file >= (int)sizeof watched || !watched[file]) return 0;
  snprintf(name, sizeof name, "/proc/self/fd/%d", file);
  ssize_t length = readlink(name, path, sizeof path);
  if (length < (ssize_t)folder_length || strncmp(path, folder, folder_length) != 0) watched[file] = 0;
  return watched[file];
}

static int is_inside(const char *path) {
  char full[PATH_MAX];
  if (!control || !path) return 0;
  if (path[0] != '/') {
    if (!getcwd(full, sizeof full) || strlen(full) + strlen(path) + 2 > sizeof full) return 0;
    strcat(strcat(full, "/"), path);
    path = full;
  }
  return strncmp(path, folder, folder_length) == 0;
}

static void record(char kind, const char *path, const char *other, int64_t offset, const void *bytes, size_t size) {
  struct record head = {(uint32_t)kind, (uint32_t)strlen(path), (uint32_t)strlen(other), (uint32_t)size, offset};
  struct iovec parts[] = {{&head, sizeof head}, {(void *)path, head.path_length}, {(void *)other, head.other_length}, {(void *)bytes, size}};
  if (syscall(SYS_writev, trace, parts, 4) < 0) abort();
}

static void record_file(char kind, int file, int64_t offset, const void *bytes, size_t size) {
  char name[32], path[PATH_MAX] = "";
  snprintf(name, sizeof name, "/proc/self/fd/%d", file);
  if (readlink(name, path, sizeof path - 1) > 0) record(kind, path, "", offset, bytes, size);
}

/* Makes a call and records it, when it has succeeded. */
#define TRACED(inside, type, call, recorded)  \
  if (trace >= 0 && (inside)) {               \
    pthread_mutex_lock(&tracing);             \
    type result = call;                       \
    int error = errno;                        \
    if (result >= 0) recorded;                \
    errno = error;                            \
    pthread_mutex_unlock(&tracing);           \
    return result;                            \
  }

static int fail_with(int one, int other) {
  errno = draw(2) ? one : other;
  return -1;
}

#define REAL(name, result, ...) ((result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name))

static int open_as(const char *name, const char *path, int flags, mode_t mode) {
  int inside = is_inside(path);
  if (inside && fails(OPEN)) return fail_with(flags & O_CREAT ? ENOSPC : EIO, EMFILE);
  if (trace >= 0 && inside) pthread_mutex_lock(&tracing);
  int file = REAL(name, int, const char *, int, ...)(path, flags, mode);
  if (file >= 0 && file < (int)sizeof watched) watched[file] = (unsigned char)inside;
  if (trace >= 0 && inside) {
    if (file >= 0 && flags & (O_CREAT | O_TRUNC)) record_file('o', file, flags & O_TRUNC ? 0 : -1, "", 0);
    pthread_mutex_unlock(&tracing);
  }
  return file;
}

static mode_t mode_in(int flags, va_list list) {
  return flags & (O_CREAT | O_TMPFILE) ? (mode_t)va_arg(list, int) : 0;
}

int open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = mode_in(flags, list);
  va_end(list);
  return open_as("open", path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = mode_in(flags, list);
  va_end(list);
  return open_as("open64", path, flags, mode);
}

int close(int file) {
  if (file >= 0 && file < (int)sizeof watched) watched[file] = 0;
  return REAL("close", int, int)(file);
}

/* A write fails as a whole, is interrupted, is short, or fails after a part of it is written. */
#define WRITE_CALL(size, whole, part)                   \
  if (!is_watched(file)) return whole;                  \
  if (fails(WRITE)) {                                   \
    if (draw(4) == 0) { errno = EINTR; return -1; }     \
    return fail_with(EIO, ENOSPC);                      \
  }                                                     \
  size_t some = (size) > 1 ? 1 + draw((uint32_t)(size) - 1) : 0; \
  if (some > 0 && fails(SHORT)) return part;            \
  if (some > 0 && fails(TORN)) {                        \
    (void)!(part);                                      \
    return fail_with(EIO, ENOSPC);                      \
  }                                                     \
  return whole;

ssize_t write(int file, const void *bytes, size_t size) {
  ssize_t (*real)(int, const void *, size_t) = REAL("write", ssize_t, int, const void *, size_t);
  TRACED(is_watched(file), ssize_t, real(file, bytes, size), record_file('w', file, lseek(file, 0, SEEK_CUR) - result, bytes, (size_t)result))
  WRITE_CALL(size, real(file, bytes, size), real(file, bytes, some))
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t at) {
  ssize_t (*real)(int, const void *, size_t, off_t) =
      REAL("pwrite", ssize_t, int, const void *, size_t, off_t);
  TRACED(is_watched(file), ssize_t, real(file, bytes, size, at), record_file('w', file, at, bytes, (size_t)result))
  WRITE_CALL(size, real(file, bytes, size, at), real(file, bytes, some, at))
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t at) {
  ssize_t (*real)(int, const void *, size_t, off64_t) =
      REAL("pwrite64", ssize_t, int, const void *, size_t, off64_t);
  TRACED(is_watched(file), ssize_t, real(file, bytes, size, at), record_file('w', file, at, bytes, (size_t)result))
  WRITE_CALL(size, real(file, bytes, size, at), real(file, bytes, some, at))
}

ssize_t writev(int file, const struct iovec *parts, int count) {
  ssize_t (*real)(int, const struct iovec *, int) =
      REAL("writev", ssize_t, int, const struct iovec *, int);
  WRITE_CALL(count > 0 ? parts[0].iov_len : 0, real(file, parts, count),
             REAL("write", ssize_t, int, const void *, size_t)(file, parts[0].iov_base, some))
}

ssize_t read(int file, void *bytes, size_t size) {
  if (is_watched(file) && fails(READ)) { errno = EIO; return -1; }
  return REAL("read", ssize_t, int, void *, size_t)(file, bytes, size);
}

ssize_t pread(int file, void *bytes, size_t size, off_t at) {
  if (is_watched(file) && fails(READ)) { errno = EIO; return -1; }
  return REAL("pread", ssize_t, int, void *, size_t, off_t)(file, bytes, size, at);
}

ssize_t pread64(int file, void *bytes, size_t size, off64_t at) {
  if (is_watched(file) && fails(READ)) { errno = EIO; return -1; }
  return REAL("pread64", ssize_t, int, void *, size_t, off64_t)(file, bytes, size, at);
}

int fsync(int file) {
  TRACED(is_watched(file), int, REAL("fsync", int, int)(file), record_file('f', file, 0, "", 0))
  if (is_watched(file) && fails(FLUSH)) return fail_with(EIO, ENOSPC);
  return REAL("fsync", int, int)(file);
}

int fdatasync(int file) {
  TRACED(is_watched(file), int, REAL("fdatasync", int, int)(file), record_file('f', file, 0, "", 0))
  if (is_watched(file) && fails(FLUSH)) return fail_with(EIO, ENOSPC);
  return REAL("fdatasync", int, int)(file);
}

int ftruncate(int file, off_t size) {
  TRACED(is_watched(file), int, REAL("ftruncate", int, int, off_t)(file, size), record_file('t', file, size, "", 0))
  if (is_watched(file) && fails(TRUNCATE)) return fail_with(EIO, ENOSPC);
  return REAL("ftruncate", int, int, off_t)(file, size);
}

int ftruncate64(int file, off64_t size) {
  TRACED(is_watched(file), int, REAL("ftruncate64", int, int, off64_t)(file, size), record_file('t', file, size, "", 0))
  if (is_watched(file) && fails(TRUNCATE)) return fail_with(EIO, ENOSPC);
  return REAL("ftruncate64", int, int, off64_t)(file, size);
}

int rename(const char *from, const char *to) {
  TRACED(is_inside(from), int, REAL("rename", int, const char *, const char *)(from, to), record('r', from, to, 0, "", 0))
  if (is_inside(from) && fails(RENAME)) return fail_with(EIO, ENOSPC);
  return REAL("rename", int, const char *, const char *)(from, to);
}

int link(const char *from, const char *to) {
  TRACED(is_inside(to), int, REAL("link", int, const char *, const char *)(from, to), record('l', from, to, 0, "", 0))
  if (is_inside(to) && fails(RENAME)) return fail_with(EIO, ENOSPC);
  return REAL("link", int, const char *, const char *)(from, to);
}

int mkdir(const char *path, mode_t mode) {
  TRACED(is_inside(path), int, REAL("mkdir", int, const char *, mode_t)(path, mode), record('m', path, "", 0, "", 0))
  if (is_inside(path) && fails(OPEN)) return fail_with(EIO, ENOSPC);
  return REAL("mkdir", int, const char *, mode_t)(path, mode);
}

int unlink(const char *path) {
  TRACED(is_inside(path), int, REAL("unlink", int, const char *)(path), record('u', path, "", 0, "", 0))
  if (is_inside(path) && fails(REMOVE)) { errno = EIO; return -1; }
  return REAL("unlink", int, const char *)(path);
}

/* C++ removes files by these two. */
int remove(const char *path) {
  TRACED(is_inside(path), int, REAL("remove", int, const char *)(path), record('u', path, "", 0, "", 0))
  if (is_inside(path) && fails(REMOVE)) { errno = EIO; return -1; }
  return REAL("remove", int, const char *)(path);
}

int unlinkat(int parent, const char *path, int flags) {
  TRACED(is_inside(path), int, REAL("unlinkat", int, int, const char *, int)(parent, path, flags), record('u', path, "", 0, "", 0))
  if (is_inside(path) && fails(REMOVE)) { errno = EIO; return -1; }
  return REAL("unlinkat", int, int, const char *, int)(parent, path, flags);
}
