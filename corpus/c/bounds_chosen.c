// An index that is chosen within the array.
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);

int cells[5];

int main(void) {
    int i = __VERIFIER_nondet_int();
    __VERIFIER_assume(i >= 0 && i < 5);
    cells[i] = 1;
    int *end = &cells[5], *last = end - 1;
    *last = 2;
    return 0;
}
