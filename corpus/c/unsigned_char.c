// A character is promoted to int before it is added to.
#include <pthread.h>
#include <assert.h>

unsigned char octet = 255;

int main(void) {
    assert(octet + 1 == 256);
    octet = octet + 1;
    assert(octet == 0);
    return 0;
}
