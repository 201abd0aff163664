// Operators on atomic types are one step.
#include <pthread.h>
#include <assert.h>

_Atomic int sum = 0;

void *worker(void *argument) {
    sum += 2;
    sum--;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(sum == 2);
    return 0;
}
