/*
 * USART1, the serial port of the ST-LINK. A byte takes its ten bits of time, in both directions; one that comes before
 * the last was read is lost.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "hw/irq.h"
#include "sysemu/sysemu.h"
#include "soc.h"

enum {
    CR1 = 0x00, CR2 = 0x04, CR3 = 0x08, BRR = 0x0C, ISR = 0x1C, ICR = 0x20, RDR = 0x24, TDR = 0x28,
    CR1_UE = 1, CR1_RE = 4, CR1_TE = 8, CR1_INTERRUPTS = 0xE0, /* RXNEIE, TCIE, TXEIE have the places of their flags */
    ISR_ORE = 8, ISR_RXNE = 0x20, ISR_TC = 0x40, ISR_TXE = 0x80, ISR_TEACK = 1u << 21, ISR_REACK = 1u << 22,
    APB2ENR_USART1 = 4, IRQ_USART1 = 37, PORT_A = 0, PORT_B = 1,
};

static void update_irq(Usart *usart)
{
    /* An overrun asks with the enable bit of a byte received. */
    uint32_t flags = usart->isr | (usart->isr & ISR_ORE ? ISR_RXNE : 0);

    qemu_set_irq(usart->irq, usart->cr1 & CR1_UE && usart->cr1 & flags & CR1_INTERRUPTS);
}

static int64_t byte_ns(const Usart *usart)
{
    return muldiv64(10000000000ull, usart->brr, apb2_hz(usart->soc));
}

static void transmit(Usart *usart, uint8_t byte)
{
    if ((usart->cr1 & (CR1_UE | CR1_TE)) != (CR1_UE | CR1_TE) || usart->brr < 16) {
        GUEST_ERROR("byte for a transmitter that is off or has no baud rate");
        return;
    }
    if (!pin_has_function(usart->soc, PORT_A, 9, 7)) {
        GUEST_ERROR("byte for USART1, but PA9 does not have alternate function 7");
        return;
    }
    if (!(usart->isr & ISR_TXE)) {
        GUEST_ERROR("TDR overwritten: a byte is lost");
        return;
    }
    qemu_chr_fe_write_all(&usart->backend, &byte, 1);
    if (usart->isr & ISR_TC) {
        usart->isr &= ~ISR_TC;
        timer_mod(usart->sent, now_ns() + byte_ns(usart));
    } else {
        usart->holding = true;
        usart->isr &= ~ISR_TXE;
    }
}

static void byte_sent(void *opaque)
{
    Usart *usart = opaque;

    if (usart->holding) {
        usart->holding = false;
        usart->isr |= ISR_TXE;
        timer_mod(usart->sent, now_ns() + byte_ns(usart));
    } else {
        usart->isr |= ISR_TC;
    }
    update_irq(usart);
}

static uint64_t usart_read(void *opaque, hwaddr offset, unsigned size)
{
    Usart *usart = opaque;

    switch (offset) {
    case CR1:
        return usart->cr1;
    case CR2:
        return usart->cr2;
    case CR3:
        return usart->cr3;
    case BRR:
        return usart->brr;
    case ISR:
        return usart->isr | (usart->cr1 & CR1_TE ? ISR_TEACK : 0) | (usart->cr1 & CR1_RE ? ISR_REACK : 0);
    case RDR:
        usart->isr &= ~ISR_RXNE;
        update_irq(usart);
        return usart->received;
    default:
        return 0;
    }
}

static void usart_write(void *opaque, hwaddr offset, uint64_t value, unsigned size)
{
    Usart *usart = opaque;

    if (!clock_is_on(usart->soc, RCC_APB2ENR, APB2ENR_USART1, "USART1")) {
        return;
    }
    switch (offset) {
    case CR1:
        usart->cr1 = value;
        qemu_chr_fe_accept_input(&usart->backend);
        break;
    case CR2:
        usart->cr2 = value;
        break;
    case CR3:
        usart->cr3 = value;
        break;
    case BRR:
        usart->brr = value;
        break;
    case ICR:
        usart->isr &= ~((uint32_t)value & (ISR_TC | ISR_ORE));
        break;
    case TDR:
        transmit(usart, value);
        break;
    default:
        qemu_log_mask(LOG_UNIMP, "stm32f746: USART register 0x%02x is not modelled\n", (unsigned)offset);
    }
    update_irq(usart);
}

static int can_receive(void *opaque)
{
    const Usart *usart = opaque;
    return (usart->cr1 & (CR1_UE | CR1_RE)) == (CR1_UE | CR1_RE) && usart->brr >= 16 && !timer_pending(usart->arrived) &&
           pin_has_function(usart->soc, PORT_B, 7, 7);
}

static void receive(void *opaque, const uint8_t *bytes, int size)
{
    Usart *usart = opaque;

    usart->arriving = bytes[0];
    timer_mod(usart->arrived, now_ns() + byte_ns(usart));
}

static void byte_arrived(void *opaque)
{
    Usart *usart = opaque;

    if (usart->isr & ISR_RXNE) {
        usart->isr |= ISR_ORE;
    } else {
        usart->received = usart->arriving;
        usart->isr |= ISR_RXNE;
    }
    update_irq(usart);
    qemu_chr_fe_accept_input(&usart->backend);
}

static const MemoryRegionOps usart_ops = {
    .read = usart_read, .write = usart_write, .endianness = DEVICE_LITTLE_ENDIAN, .impl = {4, 4},
};

void usart_init(Usart *usart, Soc *soc)
{
    usart->soc = soc;
    usart->isr = ISR_TC | ISR_TXE;
    usart->irq = qdev_get_gpio_in(DEVICE(&soc->cpu), IRQ_USART1);
    usart->sent = timer_new_ns(QEMU_CLOCK_VIRTUAL, byte_sent, usart);
    usart->arrived = timer_new_ns(QEMU_CLOCK_VIRTUAL, byte_arrived, usart);
    soc_map(soc, &usart->region, &usart_ops, usart, "usart1", 0x40011000, 0x400);
    if (serial_hd(0) != NULL) {
        qemu_chr_fe_init(&usart->backend, serial_hd(0), &error_abort);
        qemu_chr_fe_set_handlers(&usart->backend, can_receive, receive, NULL, NULL, usart, NULL, true);
    }
}
