// An assertion inside a loop that never ends.
#include <pthread.h>
#include <assert.h>

int ticks = 0;

int main(void) {
    while (1) {
        if (ticks < 10) { ticks++; }
        assert(ticks <= 10);
    }
}
