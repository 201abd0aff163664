// Peterson's algorithm for two threads.
#include <pthread.h>
#include <assert.h>

int flag[2], turn, inside = 0;

void *other(void *argument) {
    flag[1] = 1;
    turn = 0;
    while (flag[0] && turn == 0) { }
    inside = 1;
    assert(inside == 1);
    flag[1] = 0;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    flag[0] = 1;
    turn = 1;
    while (flag[1] && turn == 1) { }
    inside = 2;
    assert(inside == 2);
    flag[0] = 0;
    return 0;
}
