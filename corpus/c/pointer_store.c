// A store through a pointer to a global.
#include <pthread.h>
#include <assert.h>

int g = 0;
int *p;

int main(void) {
    p = &g;
    *p = 5;
    assert(g == 5);
    return 0;
}
