/*
 * GPIO: alternate functions, and the pin that says whether a card is in the slot.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "soc.h"

enum { MODER = 0, IDR = 4, ODR = 5, BSRR = 6, AFRL = 8, REGISTERS = 10, MODE_ALTERNATE = 2, CARD_DETECT = 13 };

bool pin_has_function(const Soc *soc, int port, int pin, unsigned alternate_function)
{
    const uint32_t *registers = soc->gpio.registers[port];
    return (registers[MODER] >> 2 * pin & 3) == MODE_ALTERNATE &&
           (registers[AFRL + pin / 8] >> 4 * (pin % 8) & 15) == alternate_function;
}

static uint64_t gpio_read(void *opaque, hwaddr offset, unsigned size)
{
    const Gpio *gpio = opaque;
    uint32_t port = offset >> 10, number = (offset & 0x3FF) >> 2;

    if (port >= GPIO_PORTS || number >= REGISTERS) {
        return 0;
    }
    if (number == IDR) {
        /* The slot's switch pulls PC13 down. */
        bool empty = port == PORT_C && !card_present(&gpio->soc->card);
        return (gpio->registers[port][ODR] & ~(1u << CARD_DETECT)) | (uint32_t)empty << CARD_DETECT;
    }
    return gpio->registers[port][number];
}

static void gpio_write(void *opaque, hwaddr offset, uint64_t value, unsigned size)
{
    Gpio *gpio = opaque;
    uint32_t port = offset >> 10, number = (offset & 0x3FF) >> 2;

    if (port >= GPIO_PORTS || number >= REGISTERS || !clock_is_on(gpio->soc, RCC_AHB1ENR, port, "a GPIO port")) {
        return;
    }
    if (number == BSRR) {
        uint32_t *output = &gpio->registers[port][ODR];
        *output = (*output & ~(uint32_t)(value >> 16)) | (value & 0xFFFF);
    } else {
        gpio->registers[port][number] = value;
    }
}

static const MemoryRegionOps gpio_ops = {
    .read = gpio_read, .write = gpio_write, .endianness = DEVICE_LITTLE_ENDIAN, .impl = {4, 4},
};

void gpio_init(Gpio *gpio, Soc *soc)
{
    gpio->soc = soc;
    soc_map(soc, &gpio->region, &gpio_ops, gpio, "gpio", 0x40020000, GPIO_PORTS * 0x400);
}
