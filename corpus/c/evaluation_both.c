// Both operands are thought to be evaluated.
#include <pthread.h>
#include <assert.h>

int calls = 0;

int count(void) { calls++; return calls; }

int main(void) {
    int a = 0 && count();
    int b = 1 || count();
    assert(calls == 2 && a == 0 && b == 1);
    int c = count() + 10 * count();
    assert(c == 21);
    int i = 3, j = i++ + 2;
    assert(i == 4 && j == 5);
    return 0;
}
