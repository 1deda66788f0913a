/*
 * The machine stm32f746-disco: the part, a card in the slot, firmware in flash.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/units.h"
#include "hw/arm/boot.h"
#include "hw/boards.h"
#include "hw/qdev-properties-system.h"
#include "sysemu/blockdev.h"
#include "soc.h"

static void put_card_in(Soc *soc, DriveInfo *drive)
{
    DeviceState *card = qdev_new(TYPE_SD_CARD);

    soc->card.image = blk_by_legacy_dinfo(drive);
    qdev_prop_set_drive_err(card, "drive", soc->card.image, &error_fatal);
    qdev_realize_and_unref(card, &soc->card.bus.qbus, &error_fatal);
}

static void board_init(MachineState *machine)
{
    Soc *soc = STM32F746_SOC(qdev_new(TYPE_STM32F746_SOC));
    DriveInfo *drive = drive_get(IF_SD, 0, 0);

    object_property_add_child(OBJECT(machine), "soc", OBJECT(soc));
    sysbus_realize_and_unref(SYS_BUS_DEVICE(soc), &error_fatal);
    /* Without -drive QEMU makes a drive with no medium in it. */
    if (drive != NULL && blk_is_inserted(blk_by_legacy_dinfo(drive))) {
        put_card_in(soc, drive);
    }
    armv7m_load_kernel(ARM_CPU(first_cpu), machine->kernel_filename, 0x08000000, 1 * MiB);
}

static void board_class_init(MachineClass *class)
{
    class->desc = "STM32F746G-Discovery: Cortex-M7, SDMMC1 with DMA, a card with latency and faults";
    class->init = board_init;
    class->block_default_type = IF_SD;
}
DEFINE_MACHINE("stm32f746-disco", board_class_init)
