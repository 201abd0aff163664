// The loop goes one round too far.
#include <pthread.h>
#include <assert.h>

int ticks = 0;

int main(void) {
    while (1) {
        if (ticks <= 10) { ticks++; }
        assert(ticks <= 10);
    }
}
