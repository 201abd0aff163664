// A pointer that is kept may lead to what the other thread writes.
#include <pthread.h>

int __VERIFIER_nondet_int(void);

int first, second;
int *kept = &first;

void *worker(void *argument) {
    *kept = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    int choice = __VERIFIER_nondet_int();
    kept = choice ? &first : &second;
    pthread_create(&thread, 0, worker, 0);
    first = 2;
    return 0;
}
