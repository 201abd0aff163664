// An initialization that happens once.
#include <pthread.h>
#include <assert.h>

int value = 0;
pthread_once_t once = PTHREAD_ONCE_INIT;

void initialize(void) { value++; }

void *worker(void *argument) {
    pthread_once(&once, initialize);
    assert(value == 1);
    return 0;
}

int main(void) {
    pthread_t thread;
    while (1) { pthread_create(&thread, 0, worker, 0); }
}
