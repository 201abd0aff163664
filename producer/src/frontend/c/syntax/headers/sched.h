#ifndef _SCHED_H
#define _SCHED_H
extern int sched_yield(void);
#endif
