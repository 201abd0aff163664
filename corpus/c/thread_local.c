// Each thread has a variable of its own.
#include <pthread.h>
#include <assert.h>

_Thread_local int mine = 0;

void *worker(void *argument) {
    mine++;
    assert(mine == 1);
    return 0;
}

int main(void) {
    pthread_t thread;
    while (1) { pthread_create(&thread, 0, worker, 0); }
}
