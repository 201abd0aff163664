// All threads have the same counter.
#include <pthread.h>

int count;

void *worker(void *argument) {
    count = count + 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    while (1) { pthread_create(&thread, 0, worker, 0); }
}
