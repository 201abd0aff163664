// A pointer walks beyond the end of an array.

int cells[4];

int main(void) {
    int *p = cells;
    while (p != cells + 4) {
        *p = 1;
        p = p + 2;
        if (p == cells + 2) { p++; }
    }
    return 0;
}
