// Structures are assigned, passed and returned by value.
#include <pthread.h>
#include <assert.h>

struct point {
    int x;
    int y;
};

struct segment {
    struct point from;
    struct point to;
};

struct point shared;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct point moved(struct point point, int by) {
    point.x += by;
    return point;
}

void *worker(void *argument) {
    struct point mine = {3, 4};
    pthread_mutex_lock(&lock);
    shared = mine;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t thread;
    struct point start = {1, 2}, now;
    struct segment segment = {start, moved(start, 5)};
    pthread_create(&thread, 0, worker, 0);
    now = shared;
    assert(now.x == 0 && now.y == 0 || now.x == 3 && now.y == 4);
    assert(start.x == 1 && segment.to.x == 6 && moved(segment.to, 1).x == 7 && segment.to.y == 2);
    return 0;
}
