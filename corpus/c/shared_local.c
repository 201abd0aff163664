// A thread gets the address of a local variable of main.
#include <pthread.h>
#include <assert.h>

void *worker(void *argument) {
    int *result = argument;
    *result = 1;
    return 0;
}

int main(void) {
    int result = 0;
    pthread_t thread;
    pthread_create(&thread, 0, worker, &result);
    pthread_join(thread, 0);
    assert(result == 1);
    return 0;
}
