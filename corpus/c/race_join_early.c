// Main reads the result before its only thread has ended.
#include <pthread.h>

int result;

void *worker(void *argument) {
    result = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    int found = result;
    pthread_join(thread, 0);
    return found;
}
