// The value of an assignment is thought to be computed anew after it.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int cells[3];

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 100) return 0;
    int x = n;
    int a = ++x, b = (x += 3), c = (x = x + 1);
    assert(a == n + 1 && b == n + 4 && c == n + 6 && x == n + 5);
    unsigned char small = n + 200, old = small;
    int d = ++small;
    assert(d == old + 1 || d == 0);
    int i = 0;
    cells[i++] = n;
    assert(i == 1 && cells[0] == n);
    cells[i++] += 2;
    assert(i == 2 && cells[1] == 2);
    return 0;
}
