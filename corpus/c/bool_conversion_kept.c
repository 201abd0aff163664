// A _Bool is thought to keep a number.
#include <assert.h>
#include <stdbool.h>

extern int __VERIFIER_nondet_int(void);
bool seen;

int main(void) {
    int number = __VERIFIER_nondet_int();
    seen = number;
    assert(seen == 0 || seen == 1);
    assert(seen == number);
    return 0;
}
