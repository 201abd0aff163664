// Threads of the second kind do not take the lock.
#include <pthread.h>
#include <assert.h>

int level = 0;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *raise(void *argument) {
    pthread_mutex_lock(&lock);
    level++;
    level--;
    pthread_mutex_unlock(&lock);
    return 0;
}

void *look(void *argument) {
    assert(level == 0);
    return 0;
}

int main(void) {
    pthread_t thread;
    while (1) {
        pthread_create(&thread, 0, raise, 0);
        pthread_create(&thread, 0, look, 0);
    }
}
