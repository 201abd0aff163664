// A loop over an array.
#include <pthread.h>

int cells[10];

void *worker(void *argument) {
    for (int i = 0; i < 10; i++) { cells[i] = 1; }
    return 0;
}

int main(void) {
    pthread_t thread;
    while (1) { pthread_create(&thread, 0, worker, 0); }
}
