#ifndef _STDIO_H
#define _STDIO_H
#include <stddef.h>
typedef struct __file FILE;
extern FILE *stdin, *stdout, *stderr;
#define EOF (-1)
extern int printf(const char *, ...);
extern int fprintf(FILE *, const char *, ...);
extern int puts(const char *);
extern int putchar(int);
extern int fflush(FILE *);
extern void perror(const char *);
#endif
