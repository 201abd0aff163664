// Both sides are in atomic sections.
#include <pthread.h>

int total;

void __VERIFIER_atomic_add(void) { total = total + 1; }

void *worker(void *argument) {
    __VERIFIER_atomic_add();
    return 0;
}

int main(void) {
    pthread_t thread;
    while (1) { pthread_create(&thread, 0, worker, 0); }
}
