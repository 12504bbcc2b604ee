// A stand-in for libnvidia-ml with one GPU that tells its energy and one that does not.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct device { int energy; } device;
static device telling = {1}, silent = {0};

int nvmlInit_v2(void) { return 0; }
const char *nvmlErrorString(int code) { return code == 3 ? "Not Supported" : "Not Found"; }
int nvmlSystemGetDriverVersion(char *text, unsigned n) { snprintf(text, n, "580.1"); return 0; }
int nvmlDeviceGetHandleByPciBusId_v2(const char *id, device **d) {
  *d = strcmp(id, "0000:01:00.0") == 0 ? &telling : &silent;
  return strcmp(id, "nowhere") == 0 ? 6 : 0;
}
int nvmlDeviceGetTotalEnergyConsumption(device *d, unsigned long long *mj) { *mj = 1234567890123ull; return d->energy ? 0 : 3; }
int nvmlDeviceGetPowerUsage(device *d, unsigned *mw) { *mw = 690500; return d->energy ? 0 : 3; }
int nvmlDeviceGetClockInfo(device *d, int type, unsigned *mhz) { *mhz = 1980 + type; return 0; }
int nvmlDeviceGetEnforcedPowerLimit(device *d, unsigned *mw) { *mw = 700000; return d->energy ? 0 : 3; }
