// A loop that creates one thread.
#include <pthread.h>

int total;

void *worker(void *argument) {
    total = total + 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    for (int i = 0; i < 1; i++) { pthread_create(&thread, 0, worker, 0); }
    return 0;
}
