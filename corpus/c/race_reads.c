// Threads that only read do not race.
#include <pthread.h>

int limit = 7;

void *worker(void *argument) {
    int mine = limit;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_create(&thread, 0, worker, 0);
    int mine = limit;
    return 0;
}
