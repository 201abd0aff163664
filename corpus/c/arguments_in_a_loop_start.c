// The numbers begin below zero.
#include <pthread.h>
#include <assert.h>

void *worker(void *argument) {
    long number = (long)argument;
    assert(number >= 0 && number < 100);
    return 0;
}

int main(void) {
    pthread_t thread;
    for (long i = -1; i < 100; i++) { pthread_create(&thread, 0, worker, (void *)i); }
    return 0;
}
