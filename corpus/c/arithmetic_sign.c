// A remainder is thought not to be negative.
#include <pthread.h>
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < -1000 || n > 1000) { return 0; }
    int quotient = n / 7, rest = n % 7;
    assert(quotient * 7 + rest == n);
    assert(rest >= 0 && rest < 7);
    assert(-7 / 2 == -3 && -7 % 2 == -1);
    assert((n & 7) >= 0 && (n & 7) < 8);
    assert((n << 1) == 2 * n);
    assert(n >= 0 ? (n >> 1) == n / 2 : 1);
    assert((n | 1) - (n & ~1) == 1);
    return 0;
}
