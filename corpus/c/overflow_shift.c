// A shift to the left that stays below the sign.
int __VERIFIER_nondet_int(void);
void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n >= 0 && n < 1024) {
        int m = n << 21;
        if (m < 0) { reach_error(); }
    }
    return 0;
}
