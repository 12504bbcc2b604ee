// A stand-in for libcuda that writes down how it is called, so that the order and width of arguments can be tested without a GPU.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int CUresult;
typedef uint64_t u64;

static char text[1 << 16];
static int fail_alloc;
static pthread_mutex_t noting = PTHREAD_MUTEX_INITIALIZER;
static __thread void *current; // the context of the thread

static void note(const char *format, u64 a, u64 b, u64 c, u64 d, u64 e) {
  pthread_mutex_lock(&noting);
  size_t n = strlen(text);
  snprintf(text + n, sizeof text - n, format, (unsigned long long)a, (unsigned long long)b, (unsigned long long)c,
           (unsigned long long)d, (unsigned long long)e);
  pthread_mutex_unlock(&noting);
}
#define NOTE(format, a, b, c, d, e) note(format "\n", (u64)(a), (u64)(b), (u64)(c), (u64)(d), (u64)(e))

const char *fake_log(void) { return text; }
void fake_reset(void) { text[0] = 0; fail_alloc = 0; }
void fake_fail_alloc(void) { fail_alloc = 1; }

CUresult cuInit(unsigned flags) { return flags != 0 || getenv("FAKE_CUDA_NO_DEVICE") ? 100 : 0; }
CUresult cuDriverGetVersion(int *v) { *v = 12040; return 0; }
CUresult cuGetErrorName(CUresult e, const char **s) { *s = e == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : e == 100 ? "CUDA_ERROR_NO_DEVICE" : e == 218 ? "CUDA_ERROR_INVALID_PTX" : 0; return *s ? 0 : 1; }
CUresult cuGetErrorString(CUresult e, const char **s) { *s = e == 2 ? "out of memory" : e == 100 ? "no CUDA-capable device is detected" : "what it means"; return 0; }
CUresult cuDeviceGetCount(int *n) { *n = 2; return 0; }
CUresult cuDeviceGet(int *d, int ordinal) { *d = 40 + ordinal; return ordinal < 2 ? 0 : 101; }
CUresult cuDeviceGetName(char *s, int n, int d) { snprintf(s, n, "Fake GPU %d", d); return 0; }
CUresult cuDeviceGetPCIBusId(char *s, int n, int d) { snprintf(s, n, "0000:%02d:00.0", d); return 0; }
CUresult cuDeviceTotalMem_v2(size_t *n, int d) { *n = (size_t)d << 30; return 0; }
CUresult cuDeviceGetAttribute(int *v, int attribute, int d) { *v = attribute * 100 + d; return 0; }
CUresult cuDevicePrimaryCtxRetain(void **c, int d) { *c = (void *)(u64)(1000 + d); return 0; }
CUresult cuDevicePrimaryCtxRelease_v2(int d) { NOTE("release %llu", d, 0, 0, 0, 0); return 0; }
CUresult cuCtxSetCurrent(void *c) { current = c; NOTE("current %llu", c, 0, 0, 0, 0); return 0; }
CUresult cuMemGetInfo_v2(size_t *free, size_t *total) { *free = 1 << 20; *total = 3 << 20; return 0; }
CUresult cuMemAlloc_v2(u64 *p, size_t n) { if (fail_alloc) return 2; *p = 0x7000000000ull + n; return 0; }
CUresult cuMemFree_v2(u64 p) { NOTE("free %llx", p, 0, 0, 0, 0); return 0; }
struct handle { char bytes[64]; };
CUresult cuIpcOpenMemHandle_v2(u64 *p, struct handle h, unsigned flags) {
  if (!current || flags != 1) return 1;
  *p = 0x7100000000ull;
  for (int i = 0; i < 64; i++) *p += (i + 1) * (unsigned char)h.bytes[i];
  return 0;
}
CUresult cuIpcCloseMemHandle(u64 p) { NOTE("close %llx", p, 0, 0, 0, 0); return 0; }
CUresult cuMemHostAlloc(void **p, size_t n, unsigned flags) { if (flags != 0) return 1; *p = calloc(n, 1); return *p ? 0 : 2; }
CUresult cuMemFreeHost(void *p) { NOTE("host free %llu", *(char *)p, 0, 0, 0, 0); free(p); return 0; }
CUresult cuMemsetD8Async(u64 p, unsigned char v, size_t n, void *s) { NOTE("set %llx %llu %llu %llu", p, v, n, s, 0); return 0; }
CUresult cuMemcpyHtoDAsync_v2(u64 p, const void *src, size_t n, void *s) { NOTE("write %llx byte %llu of %llu, stream %llu", p, *(const unsigned char *)src, n, s, 0); return 0; }
CUresult cuMemcpyDtoHAsync_v2(void *dst, u64 p, size_t n, void *s) { memset(dst, 0x5A, n); NOTE("read %llx %llu %llu", p, n, s, 0, 0); return 0; }
CUresult cuMemcpyPeerAsync(u64 to, void *tc, u64 from, void *fc, size_t n, void *s) { NOTE("peer %llx %llu %llx %llu %llu", to, tc, from, fc, n); NOTE("peer stream %llu", s, 0, 0, 0, 0); return 0; }
CUresult cuStreamCreateWithPriority(void **s, unsigned flags, int priority) { *s = (void *)(u64)(2000 + flags - 100 * priority); return 0; }
CUresult cuStreamDestroy_v2(void *s) { NOTE("stream gone %llu", s, 0, 0, 0, 0); return 0; }
CUresult cuStreamSynchronize(void *s) { return 0; }
CUresult cuStreamWaitEvent(void *s, void *e, unsigned flags) { NOTE("wait %llu %llu %llu", s, e, flags, 0, 0); return 0; }
CUresult cuStreamBeginCapture_v2(void *s, int mode) { NOTE("capture %llu %llu", s, mode, 0, 0, 0); return 0; }
CUresult cuStreamEndCapture(void *s, void **g) { *g = (void *)3000; NOTE("captured %llu", s, 0, 0, 0, 0); return 0; }
CUresult cuGraphInstantiateWithFlags(void **x, void *g, u64 flags) { *x = (void *)3001; NOTE("instantiate %llu %llu", g, flags, 0, 0, 0); return 0; }
CUresult cuGraphLaunch(void *x, void *s) { NOTE("graph %llu %llu", x, s, 0, 0, 0); return 0; }
CUresult cuGraphDestroy(void *g) { NOTE("graph gone %llu", g, 0, 0, 0, 0); return 0; }
CUresult cuGraphExecDestroy(void *x) { return 0; }
CUresult cuEventCreate(void **e, unsigned flags) { *e = (void *)(u64)(4000 + flags); return 0; }
CUresult cuEventDestroy_v2(void *e) { return 0; }
CUresult cuEventRecord(void *e, void *s) { NOTE("record %llu %llu", e, s, 0, 0, 0); return 0; }
CUresult cuEventElapsedTime(float *ms, void *from, void *to) { *ms = from < to ? 1.25f : -1; return 0; }
struct link { char *log; size_t log_size; };
CUresult cuLinkCreate_v2(unsigned n, const unsigned *options, void **values, struct link **state) {
  if (!current) return 201;
  if (n != 2 || options[0] != 5 || options[1] != 6) return 1;
  *state = malloc(sizeof **state);
  (*state)->log = values[0]; (*state)->log_size = (size_t)values[1];
  return 0;
}
CUresult cuLinkAddData_v2(struct link *state, int type, void *data, size_t n, const char *name, unsigned options, void *o, void *v) {
  if (!current || strcmp(name, "gosper") != 0) return 1;
  NOTE("add %llu of %llu options %llu", type, n, options, 0, 0);
  if (strcmp(data, "good") == 0) return 0;
  snprintf(state->log, state->log_size, "ptxas application ptx input, line 7;\n error: nonsense");
  return 218;
}
CUresult cuLinkComplete(struct link *state, void **code, size_t *n) { *code = "\x7f" "ELFcode"; *n = 8; return 0; }
CUresult cuLinkDestroy(struct link *state) { NOTE("linked", 0, 0, 0, 0, 0); free(state); return 0; }
CUresult cuModuleLoadDataEx(void **m, const char *source, unsigned n, const unsigned *options, void **values) {
  *m = (void *)5000;
  if (strcmp(source, "\x7f" "ELFcode") == 0 && n == 2 && options[0] == 5 && options[1] == 6) return 0;
  snprintf(values[0], (size_t)values[1], "ptxas application ptx input, line 7;\n error: nonsense");
  return 218;
}
CUresult cuModuleUnload(void *m) { NOTE("unload %llu", m, 0, 0, 0, 0); return 0; }
CUresult cuModuleGetFunction(void **f, void *m, const char *name) { *f = (void *)(u64)(6000 + strlen(name)); return 0; }
CUresult cuFuncGetAttribute(int *v, int a, void *f) { *v = a * 10; return 0; }
CUresult cuFuncSetAttribute(void *f, int a, int v) { NOTE("attribute %llu %llu %llu", f, a, v, 0, 0); return 0; }
CUresult cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *s, void **params, void **extra) {
  NOTE("launch %llu grid %llu %llu %llu block %llu", f, gx, gy, gz, bx);
  NOTE("  %llu %llu shared %llu stream %llu extra %llu", by, bz, shared, s, extra);
  NOTE("  parameters %llx %llu", *(u64 *)params[0], *(uint32_t *)params[1], 0, 0, 0);
  return 0;
}
CUresult cuLaunchCooperativeKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *s, void **params) {
  NOTE("together %llu grid %llu %llu %llu block %llu", f, gx, gy, gz, bx);
  NOTE("  %llu %llu shared %llu stream %llu", by, bz, shared, s, 0);
  NOTE("  parameters %llx %llu", *(u64 *)params[0], *(uint32_t *)params[1], 0, 0, 0);
  return 0;
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, void *f, int threads, size_t shared) { *n = threads + (int)shared; return 0; }
CUresult cuDeviceCanAccessPeer(int *can, int d, int peer) { *can = d == 40 && peer == 41; return 0; }
CUresult cuCtxEnablePeerAccess(void *c, unsigned flags) { NOTE("peers %llu %llu", c, flags, 0, 0, 0); return 704; }
