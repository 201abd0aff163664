#ifndef _UNISTD_H
#define _UNISTD_H
extern unsigned sleep(unsigned);
extern int usleep(unsigned);
extern void _exit(int);
#endif
