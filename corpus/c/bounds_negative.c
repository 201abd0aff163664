// An index that goes down to zero.

int main(void) {
    int cells[3] = { 0, 0, 0 };
    int i = 3;
    while (i > 0) {
        i = i - 1;
        cells[i] = 1;
    }
    return 0;
}
