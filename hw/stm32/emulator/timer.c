/*
 * The 32-bit general-purpose timers TIM2 and TIM5, counting up: free-running or one pulse.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "hw/irq.h"
#include "soc.h"

enum {
    CR1 = 0x00, DIER = 0x0C, SR = 0x10, EGR = 0x14, CNT = 0x24, PSC = 0x28, ARR = 0x2C,
    CR1_CEN = 1, CR1_URS = 4, CR1_OPM = 8, UPDATE = 1,
};

static void update_irq(Timer *timer)
{
    qemu_set_irq(timer->irq, (timer->sr & timer->dier & UPDATE) != 0);
}

/* Ticks since `since_ns`. */
static uint64_t ticks(const Timer *timer, uint64_t clock_hz)
{
    return muldiv64(now_ns() - timer->since_ns, clock_hz, 1000000000) / (timer->prescaler + 1);
}

static uint32_t counted(const Timer *timer, uint64_t clock_hz)
{
    if (!(timer->cr1 & CR1_CEN)) {
        return timer->count;
    }
    return (timer->count + ticks(timer, clock_hz)) % ((uint64_t)timer->reload + 1);
}

/* Keeps what was counted, and sets the event for the next time that the count passes ARR. */
static void restart(Timer *timer, uint32_t count)
{
    timer->count = count;
    timer->since_ns = now_ns();
    if (timer->cr1 & CR1_CEN) {
        uint64_t left = (uint64_t)timer->reload + 1 - count, hz = apb1_timer_hz(timer->soc);
        timer_mod(timer->event, timer->since_ns + muldiv64(left * (timer->prescaler + 1), 1000000000, hz) + 1);
    } else {
        timer_del(timer->event);
    }
}

void timer_clock_changes(Timer *timer, uint64_t old_hz)
{
    if (timer->event != NULL) {
        restart(timer, counted(timer, old_hz));
    }
}

static void passed(void *opaque)
{
    Timer *timer = opaque;

    timer->sr |= UPDATE;
    timer->prescaler = timer->prescaler_preload;
    if (timer->cr1 & CR1_OPM) {
        timer->cr1 &= ~CR1_CEN;
    }
    restart(timer, 0);
    update_irq(timer);
}

static uint64_t timer_read(void *opaque, hwaddr offset, unsigned size)
{
    const Timer *timer = opaque;

    switch (offset) {
    case CR1:
        return timer->cr1;
    case DIER:
        return timer->dier;
    case SR:
        return timer->sr;
    case CNT:
        return counted(timer, apb1_timer_hz(timer->soc));
    case PSC:
        return timer->prescaler_preload;
    case ARR:
        return timer->reload;
    default:
        return 0;
    }
}

static void timer_write(void *opaque, hwaddr offset, uint64_t value, unsigned size)
{
    Timer *timer = opaque;
    uint32_t count;

    if (!clock_is_on(timer->soc, RCC_APB1ENR, timer->enable_bit, "a timer")) {
        return;
    }
    count = counted(timer, apb1_timer_hz(timer->soc));
    switch (offset) {
    case CR1:
        timer->cr1 = value;
        restart(timer, count);
        break;
    case DIER:
        timer->dier = value;
        break;
    case SR:
        timer->sr &= value;
        break;
    case EGR:
        if (value & UPDATE) {
            timer->prescaler = timer->prescaler_preload;
            if (!(timer->cr1 & CR1_URS)) {
                timer->sr |= UPDATE;
            }
            restart(timer, 0);
        }
        break;
    case CNT:
        restart(timer, value);
        break;
    case PSC:
        timer->prescaler_preload = value & 0xFFFF;
        break;
    case ARR:
        timer->reload = value;
        restart(timer, count <= timer->reload ? count : 0);
        break;
    default:
        qemu_log_mask(LOG_UNIMP, "stm32f746: timer register 0x%02x is not modelled\n", (unsigned)offset);
    }
    update_irq(timer);
}

static const MemoryRegionOps timer_ops = {
    .read = timer_read, .write = timer_write, .endianness = DEVICE_LITTLE_ENDIAN, .impl = {4, 4},
};

void timer_init_at(Timer *timer, Soc *soc, const char *name, hwaddr base, int irq, int enable_bit)
{
    timer->soc = soc;
    timer->enable_bit = enable_bit;
    timer->reload = UINT32_MAX;
    timer->irq = qdev_get_gpio_in(DEVICE(&soc->cpu), irq);
    timer->event = timer_new_ns(QEMU_CLOCK_VIRTUAL, passed, timer);
    soc_map(soc, &timer->region, &timer_ops, timer, name, base, 0x400);
}
