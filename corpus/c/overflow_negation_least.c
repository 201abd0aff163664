// The least number is negated, too.
#include <limits.h>

int __VERIFIER_nondet_int(void);
void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n <= 0) {
        int m = -n;
        if (m == INT_MIN) { reach_error(); }
    }
    return 0;
}
