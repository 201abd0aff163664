// The lock is looked at and taken in two steps.
#include <pthread.h>
#include <assert.h>

int held = 0, inside = 0;

void *enter(void *argument) {
    while (__atomic_load_n(&held, __ATOMIC_ACQUIRE)) { }
    __atomic_store_n(&held, 1, __ATOMIC_RELAXED);
    inside++;
    assert(inside == 1);
    inside--;
    __atomic_store_n(&held, 0, __ATOMIC_RELEASE);
    return 0;
}

int main(void) {
    pthread_t thread;
    while (1) pthread_create(&thread, 0, enter, 0);
}
