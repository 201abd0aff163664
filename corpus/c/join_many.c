// As many threads as somebody says, all of them joined before the lock is destroyed.
#include <pthread.h>
#include <assert.h>

#define MOST 100

extern int __VERIFIER_nondet_int(void);

int open;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *argument) {
    pthread_mutex_lock(&lock);
    open = 1;
    assert(open == 1);
    open = 0;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t threads[MOST];
    int n = __VERIFIER_nondet_int();
    if (n > MOST) { return 1; }
    for (int i = 0; i < n; i++) { pthread_create(&threads[i], 0, worker, 0); }
    for (int i = 0; i < n; i++) { pthread_join(threads[i], 0); }
    return 0;
}
