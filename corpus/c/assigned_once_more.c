// The place that is assigned to is evaluated once.
#include <assert.h>

int values[4];

int main(void) {
    int i = 0;
    int *p = values;
    values[i++] = 1;
    *p++ = 2;
    assert(i == 2 && p == values + 1);
    assert(values[0] == 2 && values[1] == 0);
    return 0;
}
