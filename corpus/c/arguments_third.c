// One more thread with another argument.
#include <pthread.h>
#include <assert.h>

int first = 0, second = 0;

void *worker(void *argument) {
    int number = (int)(long)argument;
    if (number == 1) { first = 1; } else { second = number; }
    assert(second == 0 || second == 2);
    return 0;
}

int main(void) {
    pthread_t thread;
    long number = 1;
    pthread_create(&thread, 0, worker, (void *)number);
    number = 3;
    pthread_create(&thread, 0, worker, (void *)number);
    return 0;
}
