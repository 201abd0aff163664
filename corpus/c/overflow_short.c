// Short numbers are added as int, and wrap where they are stored.
short __VERIFIER_nondet_short(void);
void reach_error(void);

int main(void) {
    short a = __VERIFIER_nondet_short();
    short b = a;
    b++;
    int sum = a + a;
    if (sum - a != a) { reach_error(); }
    return 0;
}
