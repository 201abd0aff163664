// Another member is thought to be written.
#include <pthread.h>
#include <assert.h>

struct point { int x; int y; };
struct line { struct point from, to; int weight[2]; };
struct line line = { { 1, 2 }, { 3, 4 }, { 5, 6 } };
struct point path[3];

int main(void) {
    struct point *p = &line.to;
    p->y = 7;
    int i = line.from.x;
    path[i].x = line.weight[1];
    assert(line.to.y == 7 && line.from.y == 7);
    assert(path[1].x == 6 && path[2].x == 0 && path[1].y == 0);
    return 0;
}
