// Main reads what its only thread has written, when that has ended.
#include <pthread.h>

int result;

void *worker(void *argument) {
    result = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    return result;
}
