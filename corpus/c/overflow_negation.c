// The least number has no negative.
#include <limits.h>

int __VERIFIER_nondet_int(void);
void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n != INT_MIN) {
        int m = -n;
        if (m == INT_MIN) { reach_error(); }
    }
    return 0;
}
