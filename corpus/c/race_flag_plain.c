// The flag itself is plain data.
#include <pthread.h>
#include <stdatomic.h>

int data;
int ready;

void *reader(void *argument) {
    while (!ready) { }
    int mine = data;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, reader, 0);
    data = 42;
    ready = 1;
    return 0;
}
