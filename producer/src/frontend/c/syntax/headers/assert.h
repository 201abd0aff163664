/* No guard: assert depends on NDEBUG where this is included. */
#undef assert
#ifdef NDEBUG
/* It is no assertion of the program, and is named. */
extern void __assert_disabled(void);
#define assert(e) __assert_disabled()
#else
extern void __assert_fail(const char *, const char *, unsigned, const char *);
#define assert(e) ((e) ? (void)0 : __assert_fail(#e, "", 0, ""))
#endif
#ifndef __cplusplus
#define static_assert _Static_assert
#endif
