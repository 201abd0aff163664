// A local variable that lasts.
#include <pthread.h>
#include <assert.h>

int next(void) {
    static int last = 0;
    last++;
    return last;
}

int main(void) {
    int a = next();
    int b = next();
    assert(a == 1 && b == 2);
    return 0;
}
