// What is printed, slept and drawn by lot.
#include <pthread.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int calls;

int called(void) { return ++calls; }

int main(void) {
    const char *name = "main";
    int side;
    srand(time(NULL));
    side = rand() % 6;
    printf("%s: %d\n", name, called());
    fprintf(stderr, "%d\n", called());
    if (side > 3) { puts("high"); }
    usleep(10);
    sleep(1);
    assert(calls == 2);
    assert(side >= 0 && side < 5);
    assert(name[1] == 'a' && name[4] == 0 && sizeof("main") == 5);
    return 0;
}
