// Unsigned numbers wrap, which is no overflow.
unsigned __VERIFIER_nondet_uint(void);
void reach_error(void);

int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    unsigned next = n + 1;
    unsigned back = next - 1;
    if (back != n) { reach_error(); }
    return 0;
}
