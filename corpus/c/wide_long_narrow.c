// An unsigned int has 32 bits.
#include <pthread.h>
#include <assert.h>

unsigned int total = 4294967295u;

int main(void) {
    total = total + 1;
    assert(total != 0);
    return 0;
}
