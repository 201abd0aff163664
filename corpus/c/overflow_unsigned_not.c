// The same with signed numbers.
int __VERIFIER_nondet_int(void);
void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    int next = n + 1;
    int back = next - 1;
    if (back != n) { reach_error(); }
    return 0;
}
