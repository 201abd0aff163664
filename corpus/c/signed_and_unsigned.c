// A comparison with an unsigned number converts the signed one.
#include <pthread.h>
#include <assert.h>

int debt = -1;

int main(void) {
    unsigned int amount = debt;
    assert(amount == 4294967295u);
    assert(debt > 1u);
    signed char small = 200;
    assert(small == -56);
    return 0;
}
