// A disk in memory, served over /dev/fuse: fuse-disk DIRECTORY MODE. With `direct` no file can be mapped for several processes, as on many such file
// systems; with `lockless` record locks fail; with `sound` everything works. Prints a line once it is mounted, and ends with the mount.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define NODES 256
#define WRITE_BYTES (128 * 1024)

// The number of a node is its index. Number 1 is the root; nodes are never reused, so a removed file stays until the end.
static struct node {
  uint64_t parent;
  char name[256];
  uint32_t mode;
  char *data;
  uint64_t size;
} nodes[NODES];
static uint64_t count = 2;
static int device;
static int is_direct, is_lockless;

static void answer(const struct fuse_in_header *in, int error, const void *data, size_t size) {
  char out[sizeof(struct fuse_out_header) + WRITE_BYTES + 4096];
  struct fuse_out_header *header = (void *)out;
  header->len = sizeof *header + (error ? 0 : size);
  header->error = -error;
  header->unique = in->unique;
  if (!error && size > 0) memcpy(out + sizeof *header, data, size);
  if (write(device, out, header->len) < 0 && errno != ENOENT) perror("write");
}

static void describe(uint64_t id, struct fuse_attr *attr) {
  memset(attr, 0, sizeof *attr);
  attr->ino = id;
  attr->mode = nodes[id].mode;
  attr->size = nodes[id].size;
  attr->blocks = (nodes[id].size + 511) / 512;
  attr->nlink = 1;
  attr->uid = getuid();
  attr->gid = getgid();
  attr->blksize = 4096;
}

static struct fuse_entry_out entry(uint64_t id) {
  struct fuse_entry_out out = {.nodeid = id};
  describe(id, &out.attr);
  return out;
}

static uint64_t find(uint64_t parent, const char *name) {
  for (uint64_t id = 2; id < count; id++)
    if (nodes[id].parent == parent && strcmp(nodes[id].name, name) == 0) return id;
  return 0;
}

static uint64_t make(uint64_t parent, const char *name, uint32_t mode) {
  if (count == NODES) return 0;
  nodes[count].parent = parent;
  nodes[count].mode = mode;
  snprintf(nodes[count].name, sizeof nodes[count].name, "%s", name);
  return count++;
}

static void resize(uint64_t id, uint64_t size) {
  nodes[id].data = realloc(nodes[id].data, size + 1);
  if (size > nodes[id].size) memset(nodes[id].data + nodes[id].size, 0, size - nodes[id].size);
  nodes[id].size = size;
}

static struct fuse_open_out opened(void) {
  return (struct fuse_open_out){.open_flags = is_direct ? FOPEN_DIRECT_IO : 0};
}

static void create(const struct fuse_in_header *in, const struct fuse_create_in *given) {
  uint64_t id = make(in->nodeid, (const char *)(given + 1), given->mode);
  struct { struct fuse_entry_out entry; struct fuse_open_out open; } out = {entry(id), opened()};
  answer(in, id ? 0 : ENOSPC, &out, sizeof out);
}

static void change(const struct fuse_in_header *in, const struct fuse_setattr_in *given) {
  struct node *node = &nodes[in->nodeid];
  if (given->valid & FATTR_MODE) node->mode = (node->mode & S_IFMT) | (given->mode & 07777);
  if (given->valid & FATTR_SIZE) resize(in->nodeid, given->size);
  struct fuse_attr_out out = {0};
  describe(in->nodeid, &out.attr);
  answer(in, 0, &out, sizeof out);
}

static void read_names(const struct fuse_in_header *in, const struct fuse_read_in *given) {
  char out[4096];
  size_t size = 0;
  for (uint64_t id = given->offset < 2 ? 2 : given->offset; id < count; id++) {
    if (nodes[id].parent != in->nodeid) continue;
    size_t length = strlen(nodes[id].name);
    struct fuse_dirent *each = (void *)(out + size);
    size_t needed = FUSE_DIRENT_ALIGN(FUSE_NAME_OFFSET + length);
    if (size + needed > sizeof out || size + needed > given->size) break;
    memset(each, 0, needed);
    *each = (struct fuse_dirent){.ino = id, .off = id + 1, .namelen = length, .type = nodes[id].mode >> 12};
    memcpy(each->name, nodes[id].name, length);
    size += needed;
  }
  answer(in, 0, out, size);
}

static void rename_to(const struct fuse_in_header *in, uint64_t parent, const char *from) {
  const char *to = from + strlen(from) + 1;
  uint64_t id = find(in->nodeid, from), old = find(parent, to);
  if (id == 0) return answer(in, ENOENT, NULL, 0);
  if (old != 0) nodes[old].parent = 0;
  nodes[id].parent = parent;
  snprintf(nodes[id].name, sizeof nodes[id].name, "%s", to);
  answer(in, 0, NULL, 0);
}

static void serve(const struct fuse_in_header *in, const void *given) {
  struct node *node = &nodes[in->nodeid < NODES ? in->nodeid : 0];
  switch (in->opcode) {
    case FUSE_INIT: {
      struct fuse_init_out out = {.major = 7, .minor = 31, .max_readahead = WRITE_BYTES, .max_write = WRITE_BYTES};
      out.flags = FUSE_BIG_WRITES | (is_lockless ? FUSE_POSIX_LOCKS : 0);
      return answer(in, 0, &out, sizeof out);
    }
    case FUSE_LOOKUP: {
      uint64_t id = find(in->nodeid, given);
      struct fuse_entry_out out = entry(id);
      return answer(in, id ? 0 : ENOENT, &out, sizeof out);
    }
    case FUSE_GETATTR: {
      struct fuse_attr_out out = {0};
      describe(in->nodeid, &out.attr);
      return answer(in, 0, &out, sizeof out);
    }
    case FUSE_SETATTR: return change(in, given);
    case FUSE_MKDIR: {
      const struct fuse_mkdir_in *options = given;
      struct fuse_entry_out out = entry(make(in->nodeid, (const char *)(options + 1), S_IFDIR | options->mode));
      return answer(in, out.nodeid ? 0 : ENOSPC, &out, sizeof out);
    }
    case FUSE_CREATE: return create(in, given);
    case FUSE_UNLINK:
    case FUSE_RMDIR: {
      uint64_t id = find(in->nodeid, given);
      nodes[id].parent = 0;
      return answer(in, id ? 0 : ENOENT, NULL, 0);
    }
    case FUSE_RENAME: {
      const struct fuse_rename_in *options = given;
      return rename_to(in, options->newdir, (const char *)(options + 1));
    }
    case FUSE_RENAME2: {
      const struct fuse_rename2_in *options = given;
      return rename_to(in, options->newdir, (const char *)(options + 1));
    }
    case FUSE_OPEN:
    case FUSE_OPENDIR: {
      struct fuse_open_out out = in->opcode == FUSE_OPEN ? opened() : (struct fuse_open_out){0};
      return answer(in, 0, &out, sizeof out);
    }
    case FUSE_READ: {
      const struct fuse_read_in *range = given;
      uint64_t left = range->offset < node->size ? node->size - range->offset : 0;
      return answer(in, 0, node->data + range->offset, left < range->size ? left : range->size);
    }
    case FUSE_READDIR: return read_names(in, given);
    case FUSE_WRITE: {
      const struct fuse_write_in *range = given;
      if (range->offset + range->size > node->size) resize(in->nodeid, range->offset + range->size);
      memcpy(node->data + range->offset, range + 1, range->size);
      struct fuse_write_out out = {.size = range->size};
      return answer(in, 0, &out, sizeof out);
    }
    case FUSE_STATFS: {
      struct fuse_statfs_out out = {.st = {.blocks = 1 << 20, .bfree = 1 << 20, .bavail = 1 << 20, .bsize = 4096, .namelen = 255, .frsize = 4096}};
      return answer(in, 0, &out, sizeof out);
    }
    case FUSE_GETLK:
    case FUSE_SETLK:
    case FUSE_SETLKW: return answer(in, ENOLCK, NULL, 0);
    case FUSE_RELEASE:
    case FUSE_RELEASEDIR:
    case FUSE_FLUSH:
    case FUSE_FSYNC:
    case FUSE_FSYNCDIR: return answer(in, 0, NULL, 0);
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
    case FUSE_INTERRUPT: return;
    default: return answer(in, ENOSYS, NULL, 0);
  }
}

int main(int given, char **words) {
  if (given != 3) return 2;
  is_direct = strcmp(words[2], "direct") == 0;
  is_lockless = strcmp(words[2], "lockless") == 0;
  nodes[1].mode = S_IFDIR | 0700;
  device = open("/dev/fuse", O_RDWR);
  if (device < 0) return perror("/dev/fuse"), 1;
  char options[100];
  snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=%u,group_id=%u", device, getuid(), getgid());
  if (mount("crewroom-test", words[1], "fuse.crewroom-test", MS_NOSUID | MS_NODEV, options) != 0) return perror("mount"), 1;
  puts("mounted");
  fflush(stdout);
  static char request[WRITE_BYTES + 4096];
  for (;;) {
    ssize_t size = read(device, request, sizeof request);
    if (size < 0 && errno == ENODEV) return 0;
    if (size > 0) serve((void *)request, request + sizeof(struct fuse_in_header));
  }
}
