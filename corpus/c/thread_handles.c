// The identity of a thread is a value: it is copied, and passed to functions.
#include <pthread.h>
#include <assert.h>

int first, second;

void *one(void *argument) {
    first = 1;
    return 0;
}

void *two(void *argument) {
    second = 1;
    return 0;
}

void start(pthread_t *thread, void *(*function)(void *)) { pthread_create(thread, 0, function, 0); }

void finish(pthread_t thread) { pthread_join(thread, 0); }

int main(void) {
    pthread_t threads[2], kept;
    start(&threads[0], one);
    start(threads + 1, two);
    kept = threads[0];
    threads[0] = threads[1];
    threads[1] = kept;
    finish(threads[1]);
    assert(first == 1);
    finish(threads[0]);
    assert(second == 1);
    return 0;
}
