// BASE as NVIDIA's compiler makes it, with one thing changed at a time: the type of a cell, full unrolling, computed places, __restrict__. It is a
// program of its own, to find out why BASE in methods.cu takes another time than the authors' kernel:
//
//	nvcc -O3 -arch=sm_80 -o base nvcc.cu && ./base 60416
//
// With -arch=sm_80 the driver translates the kernels for a newer GPU, as it does with the authors' program; with -arch=sm_90 nvcc does. Each line is
// the architecture, the radius, the kernel and milliseconds a generation. Every kernel must reach the cells of the first one.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                            \
    do {                                                                       \
        cudaError_t e = (call);                                                \
        if (e != cudaSuccess) {                                                \
            std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));    \
            std::exit(1);                                                      \
        }                                                                      \
    } while (0)

constexpr int margin = 64;

template <typename T, int R, bool FULL, bool PLACES>
__device__ __forceinline__ void step(const T *cells, T *next, int pitch, int side, int birth_lo, int birth_hi, int survive_lo, int survive_hi) {
    const uint32_t x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    if (x >= (uint32_t)side || y >= (uint32_t)side) return;
    const T *corner = cells + (int64_t)(margin - R) * pitch + margin - R;
    int sum = 0;
    if (FULL) {
#pragma unroll
        for (uint32_t dy = 0; dy <= 2 * R; dy++)
#pragma unroll
            for (uint32_t dx = 0; dx <= 2 * R; dx++)
                sum += PLACES ? corner[(uint64_t)(y + dy) * (uint64_t)pitch + (x + dx)] : corner[(int64_t)(y + dy) * pitch + (int64_t)x + dx];
    } else {
#pragma unroll 1
        for (uint32_t dy = 0; dy <= 2 * R; dy++)
#pragma unroll
            for (uint32_t dx = 0; dx <= 2 * R; dx++)
                sum += PLACES ? corner[(uint64_t)(y + dy) * (uint64_t)pitch + (x + dx)] : corner[(int64_t)(y + dy) * pitch + (int64_t)x + dx];
    }
    const int64_t at = (int64_t)(y + margin) * pitch + x + margin;
    const int lo = cells[at] ? survive_lo : birth_lo, hi = cells[at] ? survive_hi : birth_hi;
    next[at] = sum >= lo && sum <= hi;
}

#define RULE int birth_lo, int birth_hi, int survive_lo, int survive_hi
#define ALL cells, next, pitch, side, birth_lo, birth_hi, survive_lo, survive_hi
template <typename T, int R, bool FULL, bool PLACES>
__global__ void __launch_bounds__(1024) plain(const T *cells, T *next, int pitch, int side, RULE) {
    step<T, R, FULL, PLACES>(ALL);
}
template <typename T, int R, bool FULL, bool PLACES>
__global__ void __launch_bounds__(1024) restricted(const T *__restrict__ cells, T *__restrict__ next, int pitch, int side, RULE) {
    step<T, R, FULL, PLACES>(ALL);
}

// Random cells, three in ten alive, also in the margin: neighbours must be there, whatever they are.
template <typename T> __global__ void fill(T *cells, uint64_t n) {
    for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < n; i += (uint64_t)gridDim.x * blockDim.x) {
        uint64_t z = (i + 1) * 0x9E3779B97F4A7C15u;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
        z = (z ^ z >> 27) * 0x94D049BB133111EBu;
        cells[i] = (z ^ z >> 31) % 10 < 3;
    }
}

// A number that depends on every cell.
template <typename T> __global__ void digest(const T *cells, uint64_t n, unsigned long long *out) {
    unsigned long long sum = 0;
    for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < n; i += (uint64_t)gridDim.x * blockDim.x)
        if (cells[i]) sum += (i + 1) * 0x9E3779B97F4A7C15u;
    atomicAdd(out, sum);
}

template <typename T> using Kernel = void (*)(const T *, T *, int, int, int, int, int, int);

template <typename T> void measure(const char *type, int side, int radius, int n, const char *const *names, const Kernel<T> *kernels) {
    const int pitch = side + 2 * margin;
    const uint64_t cells = (uint64_t)pitch * pitch;
    T *from, *to;
    unsigned long long *sum, first = 0;
    CHECK(cudaMalloc(&from, cells * sizeof(T)));
    CHECK(cudaMalloc(&to, cells * sizeof(T)));
    CHECK(cudaMalloc(&sum, sizeof *sum));
    fill<<<4096, 256>>>(from, cells);
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    const dim3 threads(32, 32), blocks((side + 31) / 32, (side + 31) / 32);
    const int count = (2 * radius + 1) * (2 * radius + 1);
    for (int k = 0; k < n; k++) {
        CHECK(cudaMemset(to, 0, cells * sizeof(T)));
        float best = 0;
        for (int again = 0; again < 2; again++) {
            float ms;
            CHECK(cudaEventRecord(begin));
            kernels[k]<<<blocks, threads>>>(from, to, pitch, side, count * 3 / 10, count * 4 / 10, count * 25 / 100, count * 35 / 100);
            CHECK(cudaEventRecord(end));
            CHECK(cudaEventSynchronize(end));
            CHECK(cudaEventElapsedTime(&ms, begin, end));
            if (again == 0 || ms < best) best = ms;
        }
        unsigned long long got = 0;
        CHECK(cudaMemset(sum, 0, sizeof *sum));
        digest<<<4096, 256>>>(to, cells, sum);
        CHECK(cudaMemcpy(&got, sum, sizeof got, cudaMemcpyDeviceToHost));
        if (k == 0) first = got;
        cudaFuncAttributes a;
        CHECK(cudaFuncGetAttributes(&a, kernels[k]));
        std::printf("sm_%d\t%d\t%s, %s\t%.2f\t%d registers\t%s\n", a.ptxVersion, radius, type, names[k], best, a.numRegs, got == first ? "same cells" : "OTHER CELLS");
        std::fflush(stdout);
    }
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
    CHECK(cudaFree(sum));
}

template <typename T, int R> void radius(const char *type, int side) {
    static const char *const names[] = {"rows in a loop", "unrolled", "computed places", "unrolled, computed places", "__restrict__", "unrolled, __restrict__"};
    static const Kernel<T> kernels[] = {plain<T, R, false, false>, plain<T, R, true, false>, plain<T, R, false, true>,
                                        plain<T, R, true, true>, restricted<T, R, false, false>, restricted<T, R, true, false>};
    measure<T>(type, side, R, 6, names, kernels);
}

int main(int argc, char **argv) {
    const int side = argc > 1 ? std::atoi(argv[1]) : 60416;
    radius<uint8_t, 1>("char", side);
    radius<uint8_t, 16>("char", side);
    radius<int, 1>("int", side);
    radius<int, 16>("int", side);
}
