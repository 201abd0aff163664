/* What an operand writes is thought to be lost with its value. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

pthread_mutex_t lock;
int written;

void *worker(void *argument) {
    pthread_mutex_lock(&lock);
    written = 0;
    atomic_thread_fence((written++, memory_order_seq_cst));
    fflush((written++, stdout));
    srand(++written);
    assert(written == 0);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_init(&lock, 0);
    while (1) { pthread_create(&thread, 0, worker, 0); }
}
