// A function is called that may not be there.
#include <pthread.h>

int count;
void count_up(void) { count = 1; }
void (*action)(void);

void *worker(void *argument) {
    void (*mine)(void) = action;
    mine();
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    action = count_up;
    return 0;
}
