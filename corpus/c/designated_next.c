// Initial values by name and by index, and sizes with padding.
#include <assert.h>

struct entry {
    char kind;
    long amount;
    short last;
};

struct entry table[] = {[2] = {.amount = 5, .kind = 1}, {.last = 7}};
int squares[8] = {[1] = 1, 4, [5] = 25, 36};

int main(void) {
    struct entry local = {.last = 3, .amount = squares[2]};
    assert(table[2].amount == 5 && table[2].kind == 1 && table[0].amount == 0);
    assert(table[3].last == 7 && sizeof(table) / sizeof(table[0]) == 4);
    assert(squares[2] == 4 && squares[3] == 0 && squares[3] == 36);
    assert(local.last == 3 && local.amount == 4 && local.kind == 0);
    assert(sizeof(struct entry) == 24);
    return 0;
}
