// Tickets by an atomic addition are different.
#include <pthread.h>
#include <assert.h>
#include <stdatomic.h>

atomic_int next;
int owner[2];

void *worker(void *argument) {
    int ticket = atomic_fetch_add(&next, 1);
    if (ticket < 2) {
        assert(owner[ticket] == 0);
        owner[ticket] = 1;
    }
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    worker(0);
    return 0;
}
