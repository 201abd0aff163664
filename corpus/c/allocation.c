// A job that is allocated, with a lock of its own.
#include <pthread.h>
#include <assert.h>
#include <stdlib.h>

struct job {
    pthread_mutex_t lock;
    int amount;
};

void *worker(void *argument) {
    struct job *job = argument;
    pthread_mutex_lock(&job->lock);
    job->amount += 4;
    pthread_mutex_unlock(&job->lock);
    return job;
}

int main(void) {
    struct job *job = malloc(sizeof *job), *done;
    long *counts = (long *)calloc(3, sizeof(long));
    pthread_t thread;
    pthread_mutex_init(&job->lock, NULL);
    job->amount = 1;
    counts[1] = 2;
    pthread_create(&thread, NULL, worker, job);
    pthread_mutex_lock(&job->lock);
    job->amount++;
    pthread_mutex_unlock(&job->lock);
    pthread_join(thread, (void **)&done);
    assert(done->amount == 6);
    assert(counts[0] == 0 && counts[1] == 2);
    free(counts);
    free(job);
    return 0;
}
