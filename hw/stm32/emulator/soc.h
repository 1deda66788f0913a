/*
 * The parts of an STM32F746NG that the firmware uses, as one device of QEMU.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names of registers and bits, and what they do: ST's reference manual RM0385.
 */
#ifndef STM32F746_SOC_H
#define STM32F746_SOC_H

#include "qemu/osdep.h"
#include "qemu/log.h"
#include "qemu/timer.h"
#include "chardev/char-fe.h"
#include "hw/arm/armv7m.h"
#include "hw/clock.h"
#include "hw/sysbus.h"
#include "card.h"

#define TYPE_STM32F746_SOC "stm32f746-soc"
OBJECT_DECLARE_SIMPLE_TYPE(Soc, STM32F746_SOC)

/* What the real part would punish: it makes a run fail (scripts/emulate). */
#define GUEST_ERROR(format, ...) \
    qemu_log_mask(LOG_GUEST_ERROR, "stm32f746: " format "\n", ##__VA_ARGS__)

/* RCC registers, by their number. */
enum { RCC_CR = 0, RCC_PLLCFGR = 1, RCC_CFGR = 2, RCC_AHB1ENR = 12, RCC_APB1ENR = 16, RCC_APB2ENR = 17 };

typedef struct ClockTree {
    Soc *soc;
    MemoryRegion rcc_region, pwr_region, flash_region;
    uint32_t rcc[64], pwr[4], flash[8];
    uint64_t hclk_hz;
} ClockTree;

enum { GPIO_PORTS = 11, PORT_C = 2, PORT_D = 3 };

typedef struct Gpio {
    Soc *soc;
    MemoryRegion region;
    uint32_t registers[GPIO_PORTS][10];
} Gpio;

typedef struct Timer {
    Soc *soc;
    MemoryRegion region;
    QEMUTimer *event;
    qemu_irq irq;
    int enable_bit; /* in RCC_APB1ENR */
    uint32_t cr1, dier, sr, prescaler_preload, prescaler, reload;
    uint32_t count;   /* at `since_ns` */
    int64_t since_ns; /* when the count was set, the timer started or the clock changed */
} Timer;

typedef struct Usart {
    Soc *soc;
    MemoryRegion region;
    CharBackend backend;
    QEMUTimer *sent, *arrived;
    qemu_irq irq;
    uint32_t cr1, cr2, cr3, brr, isr, received, arriving;
    bool holding; /* a byte in TDR waits for the shift register */
} Usart;

typedef struct DmaStream {
    uint32_t cr, ndtr, par, m0ar, m1ar, fcr;
} DmaStream;

typedef struct Dma {
    Soc *soc;
    MemoryRegion region;
    qemu_irq irqs[8];
    uint32_t isr[2];
    DmaStream streams[8];
} Dma;

typedef struct Sdmmc {
    Soc *soc;
    MemoryRegion region;
    qemu_irq irq;
    QEMUTimer *command_end, *data_end, *dma_end;
    uint32_t power, clkcr, arg, cmd, respcmd, resp[4], dtimer, dlen, dctrl, dcount, sta, mask;
    int stream;        /* of a DMA transfer whose last words are on their way; -1: none */
    uint8_t *fetched;  /* what a read brought from the card and DMA or the program has not taken yet */
    uint32_t fetched_bytes;
} Sdmmc;

typedef struct CycleCounter {
    Soc *soc;
    MemoryRegion region;
    uint32_t control, base;
    int64_t since_ns;
} CycleCounter;

struct Soc {
    SysBusDevice parent_obj;

    ARMv7MState cpu;
    Clock *hclk, *reference;
    MemoryRegion flash, flash_itcm, itcm, dtcm, sram, backup_sram;
    ClockTree clocks;
    Gpio gpio;
    Timer tim2, tim5;
    Usart usart1;
    Dma dma2;
    Sdmmc sdmmc1;
    CycleCounter cycles;
    Card card;
};

static inline int64_t now_ns(void)
{
    return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

/* Puts registers into the address space. */
void soc_map(Soc *soc, MemoryRegion *region, const MemoryRegionOps *ops, void *opaque, const char *name, hwaddr base,
             uint64_t size);

/* rcc.c: RCC, PWR and the flash interface; the limits that tie them together. */
void clocks_init(ClockTree *clocks, Soc *soc);
/* Whether a peripheral's clock is on; if not, says so, because a write is lost. */
bool clock_is_on(Soc *soc, int rcc_register, int bit, const char *who);
uint64_t apb1_hz(const Soc *soc);
uint64_t apb2_hz(const Soc *soc);
/* Of the timers on APB1: twice the bus clock where that is divided. */
uint64_t apb1_timer_hz(const Soc *soc);
/* PLLQ, the clock of SDMMC1. */
uint64_t pllq_hz(const Soc *soc);

/* gpio.c */
void gpio_init(Gpio *gpio, Soc *soc);
bool pin_has_function(const Soc *soc, int port, int pin, unsigned alternate_function);

/* timer.c */
void timer_init_at(Timer *timer, Soc *soc, const char *name, hwaddr base, int irq, int enable_bit);
/* The clock changed, or is about to: the count so far was made at the old one. */
void timer_clock_changes(Timer *timer, uint64_t old_hz);

/* usart.c */
void usart_init(Usart *usart, Soc *soc);

/* dma.c */
void dma_init(Dma *dma, Soc *soc);
/* The stream that serves SDMMC1 in that direction; -1: none is enabled and set up for it. */
int dma_stream_for_sdmmc(const Dma *dma, bool to_memory);
/* Words that the stream takes before it ends by itself (without peripheral flow control), at most `words`. */
uint32_t dma_words(const Dma *dma, int stream, uint32_t words);
bool dma_copy(Dma *dma, int stream, bool to_memory, uint8_t *bytes, uint32_t size);
void dma_complete(Dma *dma, int stream);

/* sdmmc.c */
void sdmmc_init(Sdmmc *sdmmc, Soc *soc);

/* dwt.c */
void cycles_init(CycleCounter *cycles, Soc *soc);
void cycles_clock_changes(CycleCounter *cycles, uint64_t old_hz);

/* sleep.c */
void count_before_sleep(CPUState *cpu);

#endif
