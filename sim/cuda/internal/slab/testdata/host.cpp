// Runs the kernels of labels.cu on the host.
#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <cstring>
#include <type_traits>
#include <utility>

#include "../../labels.cu"

constexpr u32 most_threads = 512, shared_words = 1 << 16, stack_bytes = 1 << 16, junk = 0xA5A5A5A5;

u32 here, block, blocks, block_threads;
Group whole, warps[most_threads / warp_lanes];
u32 votes[2][most_threads];
u32 memory[shared_words];

static ucontext_t contexts[most_threads], caller;
static char stacks[most_threads][stack_bytes];
static bool done[most_threads];
static jmp_buf left_at[most_threads]; // where a thread goes on that has begun: this is quicker than a context, which asks the system
static bool begun[most_threads];
static u64 chance;
static u32 seldom; // a thread gives way once in so many times; 0: never

// others_turn goes on with the next thread that is not done, or with the caller when all are.
void others_turn() {
    const u32 me = here;
    u32 next = me;
    do next = (next + 1) % block_threads;
    while (done[next] && next != me);
    if (done[next]) {
        setcontext(&caller);
    } else if (next != me) {
        here = next;
        if (_setjmp(left_at[me])) return;
        if (begun[next]) _longjmp(left_at[next], 1);
        begun[next] = true;
        setcontext(&contexts[next]);
    }
}

void perhaps_others_turn() {
    if (!seldom) return;
    chance = chance * 6364136223846793005ull + 1442695040888963407ull;
    if ((chance >> 33) % seldom == 0) others_turn();
}

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

template <auto kernel, typename... A> void begin_of(void (*)(A...)) {
    call(kernel, arguments, std::index_sequence_for<A...>());
}

template <auto kernel> void begin() {
    begin_of<kernel>(kernel);
    done[here] = true;
    others_turn();
}

struct Entry {
    const char *name;
    void (*begin)();
};
static const Entry entries[] = {{"tiles4", begin<tiles4>}, {"tiles8", begin<tiles8>}, {"join", begin<join>},    {"gather", begin<gather>},
                                {"claim", begin<claim>},   {"number", begin<number>}, {"count", begin<count>}};

// The number of a kernel, or -1.
extern "C" i32 host_kernel(const char *name) {
    for (u32 i = 0; i < sizeof entries / sizeof *entries; i++) {
        if (!strcmp(entries[i].name, name)) return (i32)i;
    }
    return -1;
}

// Runs n blocks one after the other; false: one has written more shared memory than it asked for.
extern "C" u32 host_launch(u32 kernel, u32 n, u32 threads, u32 shared, const u64 *params, u32 give_way, u64 seed) {
    arguments = params;
    blocks = n;
    block_threads = threads;
    chance = seed;
    seldom = give_way;
    for (block = 0; block < n; block++) {
        for (u32 &word : memory) word = junk;
        whole = {threads, 0, 0};
        for (u32 t = 0; t < threads; t++) {
            warps[t / warp_lanes] = {warp_lanes, 0, 0};
            done[t] = begun[t] = false;
            getcontext(&contexts[t]);
            contexts[t].uc_stack.ss_sp = stacks[t];
            contexts[t].uc_stack.ss_size = stack_bytes;
            makecontext(&contexts[t], entries[kernel].begin, 0);
        }
        here = 0;
        begun[0] = true;
        swapcontext(&caller, &contexts[0]);
        for (u32 i = shared / 4; i < shared_words; i++) {
            if (memory[i] != junk) return false;
        }
    }
    return true;
}

// Memory that ends where the next page may not be touched, but for what aligns it as a GPU's is, full of junk.
constexpr u64 aligned(u64 n) { return (n + 15) / 16 * 16; }
extern "C" void *host_alloc(u64 n) {
    const u64 page = 4096, whole_pages = (n + page - 1) / page * page;
    char *p = (char *)mmap(nullptr, whole_pages + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return nullptr;
    mprotect(p + whole_pages, page, PROT_NONE);
    memset(p, 0xA5, whole_pages);
    return p + (whole_pages - aligned(n));
}
extern "C" void host_free(char *p, u64 n) {
    const u64 page = 4096, whole_pages = (n + page - 1) / page * page;
    munmap(p - (whole_pages - aligned(n)), whole_pages + page);
}
