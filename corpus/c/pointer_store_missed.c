// A store through a pointer is thought to go nowhere.
#include <pthread.h>
#include <assert.h>

int g = 0;
int *p;

int main(void) {
    p = &g;
    *p = 5;
    assert(g == 0);
    return 0;
}
