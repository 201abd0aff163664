// A pointer is looked at before it is used.
#include <pthread.h>

int cell;
int *shared;

void *worker(void *argument) {
    int *mine = shared;
    if (mine) { *mine = 1; }
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    shared = &cell;
    return 0;
}
