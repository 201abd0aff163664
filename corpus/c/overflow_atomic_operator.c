// Operators on atomic variables do not wrap.
#include <pthread.h>
#include <stdatomic.h>
#include <limits.h>

void reach_error(void);

atomic_int count = INT_MAX;

void *worker(void *argument) {
    count++;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    if (count != INT_MIN) { reach_error(); }
    return 0;
}
