/* No guard: assert depends on NDEBUG where this is included. */
#undef assert
#ifdef NDEBUG
#define assert(e) ((void)0)
#else
extern void __assert_fail(const char *, const char *, unsigned, const char *);
#define assert(e) ((e) ? (void)0 : __assert_fail(#e, "", 0, ""))
#endif
#ifndef __cplusplus
#define static_assert _Static_assert
#endif
