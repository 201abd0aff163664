// A reader writes.
#include <pthread.h>

int data;
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

void *reader(void *argument) {
    pthread_rwlock_rdlock(&lock);
    data = 2;
    pthread_rwlock_unlock(&lock);
    return 0;
}

void *writer(void *argument) {
    pthread_rwlock_wrlock(&lock);
    data = 1;
    pthread_rwlock_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, reader, 0);
    pthread_create(&thread, 0, reader, 0);
    pthread_create(&thread, 0, writer, 0);
    return 0;
}
