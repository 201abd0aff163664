// The variable is read in the plain way.
#include <pthread.h>

int state;

void *worker(void *argument) {
    int old = __sync_fetch_and_add(&state, 1);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    int mine = state;
    return 0;
}
