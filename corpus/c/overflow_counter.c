// A counter that is not counted further than its limit.
#include <pthread.h>

int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);

int count;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *argument) {
    pthread_mutex_lock(&lock);
    if (count < 1000) { count++; }
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t thread;
    count = __VERIFIER_nondet_int();
    __VERIFIER_assume(count <= 1000);
    while (1) { pthread_create(&thread, 0, worker, 0); }
}
