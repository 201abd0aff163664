// An atomic counter is no data race.
#include <pthread.h>
#include <stdatomic.h>

atomic_int counter;

void *worker(void *argument) {
    counter++;
    return 0;
}

int main(void) {
    pthread_t thread;
    while (1) { pthread_create(&thread, 0, worker, 0); }
}
