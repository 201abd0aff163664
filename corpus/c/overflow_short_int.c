// The same with int.
int __VERIFIER_nondet_int(void);
void reach_error(void);

int main(void) {
    int a = __VERIFIER_nondet_int();
    int b = a;
    b++;
    int sum = a + a;
    if (sum - a != a) { reach_error(); }
    return 0;
}
