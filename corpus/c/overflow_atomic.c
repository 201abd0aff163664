// Atomic functions wrap.
#include <pthread.h>
#include <stdatomic.h>
#include <limits.h>

void reach_error(void);

atomic_int count = INT_MAX;

void *worker(void *argument) {
    atomic_fetch_add(&count, 1);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    if (count != INT_MIN) { reach_error(); }
    return 0;
}
