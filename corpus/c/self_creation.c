// A thread that creates one like itself.
#include <pthread.h>
#include <assert.h>

int turn = 0;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *argument) {
    pthread_t next;
    pthread_mutex_lock(&lock);
    turn = 1;
    assert(turn == 1);
    turn = 0;
    pthread_mutex_unlock(&lock);
    pthread_create(&next, 0, worker, 0);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    worker(0);
    return 0;
}
