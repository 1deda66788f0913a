/*
 * The cycle counter of the data watchpoint and trace unit. It counts virtual time, so it shows the instructions' share of
 * the clock, not caches or wait states; on the part it stands still while the core sleeps, here it does not.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "soc.h"

enum { CTRL = 0, CYCCNT = 4, CTRL_CYCCNTENA = 1, CTRL_COMPARATORS = 4u << 28 };

static uint32_t counted(const CycleCounter *cycles, uint64_t hz)
{
    return cycles->base + (cycles->control & CTRL_CYCCNTENA ? muldiv64(now_ns() - cycles->since_ns, hz, 1000000000) : 0);
}

static void restart(CycleCounter *cycles, uint32_t count)
{
    cycles->base = count;
    cycles->since_ns = now_ns();
}

void cycles_clock_changes(CycleCounter *cycles, uint64_t old_hz)
{
    restart(cycles, counted(cycles, old_hz));
}

static uint64_t dwt_read(void *opaque, hwaddr offset, unsigned size)
{
    const CycleCounter *cycles = opaque;
    if (offset == CTRL) {
        return CTRL_COMPARATORS | cycles->control;
    }
    return offset == CYCCNT ? counted(cycles, cycles->soc->clocks.hclk_hz) : 0;
}

static void dwt_write(void *opaque, hwaddr offset, uint64_t value, unsigned size)
{
    CycleCounter *cycles = opaque;
    if (offset == CTRL) {
        restart(cycles, counted(cycles, cycles->soc->clocks.hclk_hz));
        cycles->control = value & CTRL_CYCCNTENA;
    } else if (offset == CYCCNT) {
        restart(cycles, value);
    }
}

static const MemoryRegionOps dwt_ops = {
    .read = dwt_read, .write = dwt_write, .endianness = DEVICE_LITTLE_ENDIAN, .impl = {4, 4},
};

void cycles_init(CycleCounter *cycles, Soc *soc)
{
    cycles->soc = soc;
    memory_region_init_io(&cycles->region, OBJECT(soc), &dwt_ops, cycles, "dwt", 0x1000);
    /* QEMU's core has nothing there. */
    memory_region_add_subregion_overlap(&soc->cpu.container, 0xE0001000, &cycles->region, 10);
}
