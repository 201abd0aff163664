// The least number divided by minus one.
#include <limits.h>

int __VERIFIER_nondet_int(void);
void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n >= INT_MIN) {
        int quotient = n / -1, rest = n % -1;
        if (quotient == INT_MIN || rest != 0) { reach_error(); }
    }
    return 0;
}
