// An unsigned counter is thought to grow for ever.
#include <pthread.h>
#include <assert.h>

unsigned int count = 4294967295u;

int main(void) {
    count++;
    assert(count > 0);
    count--;
    assert(count == 0xffffffff);
    return 0;
}
