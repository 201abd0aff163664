#ifndef _TIME_H
#define _TIME_H
#include <stddef.h>
typedef long time_t;
extern time_t time(time_t *);
#endif
