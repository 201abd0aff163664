// A pointer walks over an array.

int cells[4];

int main(void) {
    int *p = cells;
    while (p != cells + 4) {
        *p = 1;
        p++;
    }
    return 0;
}
