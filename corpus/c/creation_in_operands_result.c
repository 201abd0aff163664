/* The operand for a result is evaluated before the thread has ended. */
#include <assert.h>
#include <pthread.h>

int ready;

void *worker(void *argument) {
    assert(ready == 1);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, (ready = 1, NULL), worker, 0);
    pthread_join(thread, (ready = 2, NULL));
    return 0;
}
