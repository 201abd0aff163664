// abort and exit end the program: nothing follows them.
#include <pthread.h>
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int ready = 0, level = 0;

void *use(void *argument) {
    if (!ready) exit(1);
    assert(level > 0);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, use, 0);
    int n = __VERIFIER_nondet_int();
    if (n <= 0) abort();
    level = n;
    ready = 1;
    return 0;
}
