// Playne & Hawick's kernel: a block is one universe of L×L cells, which stays in the shared memory of its multiprocessor for all
// generations of a launch. Thread x + r·L works on column x and every rows-th row from row r on.
#include "device.h"

DYNAMIC_SHARED(u32, memory, 16);

// A cell is its state in the highest bit and a label below.
template <typename Cell> struct Universe {
    static constexpr Cell spin = (Cell)1 << (8 * sizeof(Cell) - 1);
    static constexpr Cell labels = spin - 1;

    Cell *s;         // L×L cells in shared memory
    Cell *b0, *b1;   // the row above the rows in hand and the first row, as they were
    u32 *sizes;      // L×L counters of cells by label, zero between generations
    u32 L, rows, x, r, xm1, xp1;

    INLINE u32 alive(Cell c) { return c >> (8 * sizeof(Cell) - 1); }

    // Algorithm 2, for several rows of threads: only the first reads the row kept aside and only the last writes it.
    INLINE void update(const Universe &u) {
        const u32 L = u.L, x = u.x, xm1 = u.xm1, xp1 = u.xp1;
        if (u.r == 0) {
            u.b1[x] = u.s[x];
            u.b0[x] = u.s[(L - 1) * L + x];
        }
        block_barrier();
        ROLL for (u32 top = 0; top < L; top += u.rows) {
            const u32 y = top + u.r;
            const bool mine = u.r < u.rows && y < L;
            Cell *here = u.s + y * L;
            u32 sum = 0;
            Cell own = 0;
            if (mine) {
                const Cell *above = u.r == 0 ? u.b0 : here - L;
                const Cell *below = y == L - 1 ? u.b1 : here + L;
                sum = alive(above[xm1]) + alive(above[x]) + alive(above[xp1]) + alive(here[xm1]) + alive(here[xp1]) +
                      alive(below[xm1]) + alive(below[x]) + alive(below[xp1]);
                own = here[x];
            }
            block_barrier(); // the barrier that the printed algorithm has: all have read
            if (mine) {
                if (u.r == u.rows - 1) u.b0[x] = own;
                here[x] = sum == 3 || (sum == 2 && alive(own)) ? spin : 0;
            }
            block_barrier(); // the one it lacks: all have written
        }
    }

    // Algorithm 3, for live cells. A thread writes its own cells only, but reads others' while their threads may lower them, as the paper
    // has it: it finds the label before or after, of the same cluster both, and what it misses it sees in the next sweep. These are the only
    // races there are.
    INLINE void label(const Universe &u, bool eight) {
        const u32 L = u.L;
        ROLL for (u32 y = u.r; y < L; y += u.rows) {
            Cell *c = u.s + y * L + u.x;
            if (alive(*c)) *c = spin | (Cell)(y * L + u.x);
        }
        block_barrier();
        bool changed;
        do {
            changed = false;
            ROLL for (u32 y = u.r; y < L; y += u.rows) {
                Cell *here = u.s + y * L;
                const Cell own = here[u.x];
                if (!alive(own)) continue;
                const Cell *above = y == 0 ? u.s + (L - 1) * L : here - L;
                const Cell *below = y == L - 1 ? u.s : here + L;
                Cell least = own;
                lower(least, above[u.x]);
                lower(least, here[u.xm1]);
                lower(least, here[u.xp1]);
                lower(least, below[u.x]);
                if (eight) {
                    lower(least, above[u.xm1]);
                    lower(least, above[u.xp1]);
                    lower(least, below[u.xm1]);
                    lower(least, below[u.xp1]);
                }
                if (least != own) {
                    here[u.x] = least;
                    changed = true;
                }
            }
            changed = block_any(changed);
            ROLL for (u32 y = u.r; y < L; y += u.rows) {
                Cell *c = u.s + y * L + u.x;
                if (!alive(*c)) continue;
                Cell at = *c & labels;
                ROLL for (Cell next = u.s[at] & labels; next != at; next = u.s[at] & labels) at = next;
                *c = spin | at;
            }
            block_barrier();
        } while (changed);
    }

    INLINE void lower(Cell &least, Cell c) {
        if (alive(c) && c < least) least = c;
    }

    // Cells by label, then clusters by cells.
    INLINE void count(const Universe &u, u32 *histogram) {
        const u32 L = u.L;
        ROLL for (u32 y = u.r; y < L; y += u.rows) {
            const Cell c = u.s[y * L + u.x];
            if (alive(c)) atomic_add(u.sizes + (c & labels), 1);
        }
        block_barrier();
        ROLL for (u32 y = u.r; y < L; y += u.rows) {
            const u32 i = y * L + u.x;
            if (u.s[i] == (Cell)(spin | (Cell)i)) {
                atomic_add(histogram + __atomic_exchange_n(u.sizes + i, 0, __ATOMIC_RELAXED), 1);
            }
        }
        block_barrier();
    }

    INLINE void run(Cell *universes, u32 *far, u32 *histogram, u32 L, u32 rows, u32 generations, bool eight) {
        Universe u;
        u.L = L;
        u.rows = rows;
        u.r = thread() / L;
        u.x = thread() - u.r * L;
        u.xm1 = u.x == 0 ? L - 1 : u.x - 1;
        u.xp1 = u.x == L - 1 ? 0 : u.x + 1;
        u.s = (Cell *)memory;
        u.b0 = u.s + L * L;
        u.b1 = u.b0 + L;
        const u32 words = ((L * L + 2 * L) * sizeof(Cell) + 3) / 4;
        u.sizes = far ? far + (u64)block_x() * L * L : memory + words;
        Cell *home = universes + (u64)block_x() * L * L;
        for (u32 i = thread(); i < L * L; i += threads()) {
            u.s[i] = home[i];
            u.sizes[i] = 0;
        }
        block_barrier();
        ROLL for (u32 t = 0; t < generations; t++) {
            update(u);
            label(u, eight);
            count(u, histogram);
        }
        for (u32 i = thread(); i < L * L; i += threads()) home[i] = u.s[i];
    }
};

// One launch: `generations` of as many universes as blocks. far is where cells are counted, or null where there is room beside the
// cells; histogram has L²+1 counters, to which all clusters of all universes and generations are added.
KERNEL __launch_bounds__(1024) playne16(u16 *universes, u32 *far, u32 *histogram, u32 L, u32 rows, u32 generations, u32 eight) {
    Universe<u16>::run(universes, far, histogram, L, rows, generations, eight != 0);
}

KERNEL __launch_bounds__(1024) playne32(u32 *universes, u32 *far, u32 *histogram, u32 L, u32 rows, u32 generations, u32 eight) {
    Universe<u32>::run(universes, far, histogram, L, rows, generations, eight != 0);
}
