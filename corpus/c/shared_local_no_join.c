// Main reads the result before it is there.
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
    assert(result == 1);
    return 0;
}
