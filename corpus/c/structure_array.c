// A table of structures that is searched.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

struct entry {
    int key;
    unsigned char value;
};

struct entry table[5] = {{3, 1}, {1, 4}, {4, 1}, {5, 9}, {2, 6}};

int main(void) {
    int wanted = __VERIFIER_nondet_int(), found = -1;
    for (int i = 0; i < 5; i++) {
        if (table[i].key == wanted) {
            found = table[i].value;
            break;
        }
    }
    assert(found != 9 || wanted == 5);
    return 0;
}
