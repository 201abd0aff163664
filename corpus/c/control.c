// Loops of each kind, break, continue, goto, comma and conditional.
#include <pthread.h>
#include <assert.h>

int main(void) {
    int sum = 0, i, j;
    for (i = 0, j = 10; i < j; i++, j--) {
        if (i == 2) { continue; }
        sum += 1;
    }
    do { sum++; } while (sum < 6);
    while (1) {
        if (sum >= 8) { break; }
        sum += sum == 6 ? 2 : 1;
    }
    goto out;
    sum = 0;
out:
    assert(sum == 8);
    return 0;
}
