#ifndef _STDLIB_H
#define _STDLIB_H
#include <stddef.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
extern void abort(void);
extern void exit(int);
extern void _Exit(int);
extern void quick_exit(int);
extern void *malloc(size_t);
extern void *calloc(size_t, size_t);
extern void *realloc(void *, size_t);
extern void free(void *);
extern int rand(void);
extern void srand(unsigned);
extern long random(void);
extern void srandom(unsigned);
extern int abs(int);
extern int atoi(const char *);
#endif
