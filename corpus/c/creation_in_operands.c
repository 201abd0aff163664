/* The operand for the attributes of a thread is evaluated before the thread can start. */
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
    pthread_join((ready = 1, thread), 0);
    return 0;
}
