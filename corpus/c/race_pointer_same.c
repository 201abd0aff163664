// Two threads write through pointers to the same variable.
#include <pthread.h>

int first, second;

void *worker(void *argument) {
    int *mine = argument;
    *mine = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, &first);
    pthread_create(&thread, 0, worker, &first);
    return 0;
}
