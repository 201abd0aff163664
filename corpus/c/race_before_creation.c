// What main sets before it creates threads is set.
#include <pthread.h>

int limit;

void *worker(void *argument) {
    int mine = limit;
    return 0;
}

int main(void) {
    pthread_t thread;
    limit = 3;
    while (1) { pthread_create(&thread, 0, worker, 0); }
}
