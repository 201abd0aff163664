// What is stored into a character is thought to fit.
#include <pthread.h>
#include <assert.h>

unsigned char octet = 255;

int main(void) {
    assert(octet + 1 == 256);
    octet = octet + 1;
    assert(octet == 256);
    return 0;
}
