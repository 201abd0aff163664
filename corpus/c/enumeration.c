// States that are an enumeration, and a switch that falls through.
#include <pthread.h>
#include <assert.h>

enum state { IDLE, BUSY = 5, DONE };
enum state state = IDLE;

int main(void) {
    int cost = 0;
    switch (state) {
    case IDLE:
        cost += 1;
    case BUSY:
        cost += 10;
        break;
    case DONE:
        cost += 100;
        break;
    default:
        cost = -1;
    }
    assert(cost == 11 && DONE == 6);
    return 0;
}
