// Runs the kernels of a package on the host. Its testdata/host.cpp includes their sources, then this, and names the kernels:
//
//     KERNELS(ENTRY(load_rows), ENTRY(base_1))
#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <cstring>
#include <type_traits>
#include <utility>

u32 host_thread, host_threads, host_block[2], host_blocks[2];
HostGroup host_all, host_warps[host_most_threads / host_lanes];
u32 host_votes[2][host_most_threads];
alignas(64) u8 host_shared[host_shared_bytes];
u64 host_shown[host_most_threads / host_lanes][host_lanes][8];
u16 host_factors[2][host_most_threads / host_lanes][256];

static constexpr u32 stack_bytes = 1 << 16;
static constexpr u8 junk = 0xA5;
static u8 untouched[host_shared_bytes]; // junk, as shared memory is where a kernel may not write

static ucontext_t contexts[host_most_threads], caller;
static char stacks[host_most_threads][stack_bytes];
static bool done[host_most_threads], begun[host_most_threads];
static jmp_buf left_at[host_most_threads]; // where a thread goes on that has begun: this is quicker than a context, which asks the system

static u64 chance;
static u64 seldom; // a thread gives way once in so many times; 0: never

// Goes on with the next thread that is not done, or with the caller when all are.
void host_others_turn() {
    const u32 me = host_thread;
    u32 next = me;
    do next = (next + 1) % host_threads;
    while (done[next] && next != me);
    if (done[next]) {
        setcontext(&caller);
    } else if (next != me) {
        host_thread = next;
        if (_setjmp(left_at[me])) return;
        if (begun[next]) _longjmp(left_at[next], 1);
        begun[next] = true;
        setcontext(&contexts[next]);
    }
}

void host_perhaps_others_turn() {
    if (!seldom) return;
    chance = chance * 6364136223846793005ull + 1442695040888963407ull;
    if ((chance >> 33) % seldom == 0) host_others_turn();
}
extern "C" void host_give_way(u64 once_in, u64 seed) { seldom = once_in, chance = seed; }

template <typename T> T argument(u64 v) {
    if constexpr (std::is_pointer_v<T>) {
        return reinterpret_cast<T>(v);
    } else {
        return static_cast<T>(v);
    }
}
template <typename... A, size_t... I> void call(void (*kernel)(A...), const u64 *params, std::index_sequence<I...>) {
    kernel(argument<A>(params[I])...);
}
static const u64 *arguments;
template <auto kernel, typename... A> void begin_of(void (*)(A...)) { call(kernel, arguments, std::index_sequence_for<A...>()); }
template <auto kernel> void begin() {
    begin_of<kernel>(kernel);
    done[host_thread] = true;
    host_others_turn();
}

struct Entry {
    const char *name;
    void (*begin)();
};
#define ENTRY(name) Entry{#name, begin<name>}

// The name without its namespaces.
static const char *plain(const char *name) {
    const char *colon = strrchr(name, ':');
    return colon ? colon + 1 : name;
}
#define KERNELS(...)                                                                    \
    static const Entry entries[] = {__VA_ARGS__};                                       \
    extern "C" i32 host_kernel(const char *name) {                                      \
        for (u32 i = 0; i < sizeof entries / sizeof *entries; i++)                      \
            if (!strcmp(plain(entries[i].name), name)) return (i32)i;                   \
        return -1;                                                                      \
    }                                                                                   \
    extern "C" u32 host_launch(u32 kernel, u32 x, u32 y, u32 n, u32 shared, u64 *p) {   \
        return launch(entries[kernel].begin, x, y, n, shared, p);                       \
    }

// Runs x×y blocks of n threads one after the other; false: one has written more shared memory than it asked for.
static u32 launch(void (*kernel)(), u32 x, u32 y, u32 n, u32 shared, const u64 *params) {
    arguments = params;
    ucontext_t fresh;
    getcontext(&fresh);
    host_blocks[0] = x, host_blocks[1] = y, host_threads = n;
    memset(untouched, junk, sizeof untouched);
    for (u32 i = 0; i < x * y; i++) {
        host_block[0] = i % x, host_block[1] = i / x;
        memset(host_shared, junk, sizeof host_shared);
        host_all = {n, 0, 0};
        for (u32 t = 0; t < n; t++) {
            host_warps[t / host_lanes] = {host_lanes, 0, 0};
            done[t] = begun[t] = false;
            memcpy(&contexts[t], &fresh, sizeof fresh);
            contexts[t].uc_stack.ss_sp = stacks[t];
            contexts[t].uc_stack.ss_size = stack_bytes;
            makecontext(&contexts[t], kernel, 0);
        }
        host_thread = 0;
        begun[0] = true;
        swapcontext(&caller, &contexts[0]);
        if (memcmp(host_shared + shared, untouched, sizeof host_shared - shared)) return false;
    }
    return true;
}

// Memory that ends where the next page may not be touched, but for what aligns it as kernels need it, full of junk.
static constexpr u64 page = 4096;
static constexpr u64 rounded(u64 n, u64 to) { return (n + to - 1) / to * to; }
static constexpr u64 aligned(u64 n) { return rounded(n, 16); }
extern "C" void *host_alloc(u64 n) {
    const u64 pages = rounded(n, page);
    char *p = (char *)mmap(nullptr, pages + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return nullptr;
    mprotect(p + pages, page, PROT_NONE);
    memset(p, junk, pages);
    return p + (pages - aligned(n));
}
extern "C" void host_free(char *p, u64 n) {
    const u64 pages = rounded(n, page);
    munmap(p - (pages - aligned(n)), pages + page);
}
