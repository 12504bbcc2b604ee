// A stand-in for libcuda in the process of a client. Memory of its only GPU is a file, which another process can map, too.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST = 1000 };
static struct { char *at; size_t size; } held[MOST];
static int made, depth;
struct handle { char bytes[64]; }; // a zero, which text would end at, and the number of the file

static const char *path(int i) {
  static char text[4096];
  snprintf(text, sizeof text, "%s/%d", getenv("GOSPER_TEST_MEMORY"), i);
  return text;
}
int cuInit(unsigned flags) { return flags; }
int cuGetErrorName(int code, const char **s) { *s = code == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : code == 101 ? "CUDA_ERROR_INVALID_DEVICE" : 0; return *s ? 0 : 1; }
int cuDeviceGetByPCIBusId(int *d, const char *id) { *d = 5; return strcmp(id, "0000:01:00.0") ? 101 : 0; }
int cuDevicePrimaryCtxRetain(void **c, int d) { *c = (void *)0x123456789abc; return d == 5 ? 0 : 1; }
int cuCtxPushCurrent_v2(void *c) { depth++; return c == (void *)0x123456789abc ? 0 : 201; }
int cuCtxPopCurrent_v2(void **c) { *c = 0; return depth-- > 0 ? 0 : 201; }
int cuMemAlloc_v2(uint64_t *p, size_t n) {
  if (depth != 1 || n == 0 || n % (2 << 20)) return 1;
  if (made == MOST || n > 16 << 20) return 2;
  int f = open(path(made), O_RDWR | O_CREAT, 0600);
  if (f < 0 || ftruncate(f, n)) return 2;
  char *at = mmap(0, n, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
  close(f);
  if (at == MAP_FAILED) return 2;
  held[made].at = at; held[made++].size = n;
  memset(at, 0xEE, n);
  *p = (uint64_t)at;
  return 0;
}
int cuIpcGetMemHandle(struct handle *h, uint64_t p) {
  for (int i = 0; i < made; i++)
    if (depth == 1 && p && (uint64_t)held[i].at == p) { memset(h, 0, sizeof *h); snprintf(h->bytes + 1, 60, "%d", i); return 0; }
  return 1;
}
int cuMemFree_v2(uint64_t p) {
  for (int i = 0; i < made; i++)
    if (depth == 1 && p && (uint64_t)held[i].at == p) { munmap(held[i].at, held[i].size); held[i].at = 0; return unlink(path(i)); }
  return 1;
}
