// What threads give is taken by who joins them.
#include <pthread.h>
#include <assert.h>

int shared;

void give(int value) { pthread_exit((void *)(long)value); }

void *worker(void *argument) {
    shared = 1;
    if (shared == 2) { give(7); }
    return argument;
}

void *other(void *argument) {
    shared = 2;
    return 0;
}

int main(void) {
    pthread_t a, b;
    void *result;
    pthread_create(&a, 0, worker, (void *)5);
    pthread_create(&b, 0, other, 0);
    pthread_join(a, &result);
    assert((long)result == 5);
    pthread_join(b, &result);
    assert(result == 0);
    return 0;
}
