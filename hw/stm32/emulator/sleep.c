/*
 * Makes runs repeat exactly although the core sleeps.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * With -icount sleep=off, QEMU's main thread moves the clock on to the next timer as soon as it sees that the core has
 * halted. The core's thread halts first and then counts what it has executed since it last asked for the time: where the
 * main thread falls between, the clock moves on from too early a time, and those instructions are counted on top. It
 * happens to a few runs in a hundred on a busy machine. So the core counts before it halts: QEMU asks "is there work?"
 * just before, and that question is answered here.
 */
#include "qemu/osdep.h"
#include "hw/core/cpu.h"
#include "sysemu/cpu-timers.h"
#include "soc.h"

static bool (*qemu_has_work)(CPUState *cpu);

static bool count_and_has_work(CPUState *cpu)
{
    if (icount_enabled() && cpu->running && qemu_cpu_is_self(cpu)) {
        icount_update(cpu);
    }
    return qemu_has_work(cpu);
}

void count_before_sleep(CPUState *cpu)
{
    CPUClass *class = CPU_GET_CLASS(cpu);

    if (class->has_work != count_and_has_work) {
        qemu_has_work = class->has_work;
        class->has_work = count_and_has_work;
    }
}
