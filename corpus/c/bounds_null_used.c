// A pointer is used that may be null.
#include <pthread.h>

int cell;
int *shared;

void *worker(void *argument) {
    int *mine = shared;
    *mine = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    shared = &cell;
    return 0;
}
