// The writer takes the lock as a reader.
#include <pthread.h>
#include <assert.h>

int low = 0, high = 0;
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

void *reader(void *argument) {
    pthread_rwlock_rdlock(&lock);
    int seen = low;
    assert(high == seen);
    pthread_rwlock_unlock(&lock);
    return 0;
}

void *writer(void *argument) {
    pthread_rwlock_rdlock(&lock);
    low = 1;
    high = 1;
    pthread_rwlock_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    pthread_create(&thread, 0, reader, 0);
    reader(0);
    return 0;
}
