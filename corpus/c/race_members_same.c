// One thread reads the member that the other one writes.
#include <pthread.h>

struct state { int left; int right; } state;

void *left(void *argument) {
    state.left = state.left + 1;
    return 0;
}

void *right(void *argument) {
    state.right = state.left + 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, left, 0);
    pthread_create(&thread, 0, right, 0);
    return 0;
}
