// All threads have the same variable.
#include <pthread.h>
#include <assert.h>

int mine = 0;

void *worker(void *argument) {
    mine++;
    assert(mine == 1);
    return 0;
}

int main(void) {
    pthread_t thread;
    while (1) { pthread_create(&thread, 0, worker, 0); }
}
