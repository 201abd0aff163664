// The counter is not atomic.
#include <pthread.h>
#include <stdatomic.h>

int counter;

void *worker(void *argument) {
    counter++;
    return 0;
}

int main(void) {
    pthread_t thread;
    while (1) { pthread_create(&thread, 0, worker, 0); }
}
