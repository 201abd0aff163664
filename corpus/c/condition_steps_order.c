// The variables are read in another order.
#include <pthread.h>
#include <assert.h>

int x = 0, y = 0;

void *worker(void *argument) {
    x = 1;
    y = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    if (x == 0 && y == 1) { assert(0); }
    return 0;
}
