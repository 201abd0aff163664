// Operands with effects are evaluated only where C says so.
#include <pthread.h>
#include <assert.h>

int calls = 0;

int count(void) { calls++; return calls; }

int main(void) {
    int a = 0 && count();
    int b = 1 || count();
    assert(calls == 0 && a == 0 && b == 1);
    int c = count() + 10 * count();
    assert(c == 21);
    int i = 3, j = i++ + 2;
    assert(i == 4 && j == 5);
    return 0;
}
