// A call of an error function is an error, whatever its body says.
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { }

int level = 1;

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n > 0) level = n;
    if (level < 1) reach_error();
    return 0;
}
