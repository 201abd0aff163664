// Two threads have the same element.
#include <pthread.h>

int cells[16];

void *worker(void *argument) {
    long mine = (long)argument;
    cells[mine >> 1] = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    for (long i = 0; i < 16; i++) { pthread_create(&thread, 0, worker, (void *)i); }
    return 0;
}
