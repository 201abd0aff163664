// Nothing follows the end of a thread, though others wait for it.
#include <pthread.h>
#include <assert.h>

int shared = 0;

void *worker(void *argument) {
    shared = 1;
    pthread_exit(0);
    shared = 2;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    assert(shared == 1);
    return 0;
}
