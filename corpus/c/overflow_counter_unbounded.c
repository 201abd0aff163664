// The counter begins anywhere and has no limit.
#include <pthread.h>

int __VERIFIER_nondet_int(void);

int count;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *argument) {
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t thread;
    count = __VERIFIER_nondet_int();
    while (1) { pthread_create(&thread, 0, worker, 0); }
}
