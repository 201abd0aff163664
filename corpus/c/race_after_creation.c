// Main sets the limit when a thread runs already.
#include <pthread.h>

int limit;

void *worker(void *argument) {
    int mine = limit;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    limit = 3;
    return 0;
}
