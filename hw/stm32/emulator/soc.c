/*
 * The STM32F746NG: memories, core and peripherals put together.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/module.h"
#include "qemu/units.h"
#include "exec/address-spaces.h"
#include "hw/misc/unimp.h"
#include "hw/qdev-clock.h"
#include "hw/qdev-properties.h"
#include "soc.h"

void soc_map(Soc *soc, MemoryRegion *region, const MemoryRegionOps *ops, void *opaque, const char *name, hwaddr base,
             uint64_t size)
{
    memory_region_init_io(region, OBJECT(soc), ops, opaque, name, size);
    memory_region_add_subregion(get_system_memory(), base, region);
}

static void add_ram(MemoryRegion *region, const char *name, hwaddr base, uint64_t size)
{
    memory_region_init_ram(region, NULL, name, size, &error_fatal);
    memory_region_add_subregion(get_system_memory(), base, region);
}

/* Data sheet DS10916, memory map. Beyond 0x20050000 there is nothing: an access faults. */
static void add_memories(Soc *soc)
{
    memory_region_init_rom(&soc->flash, NULL, "stm32f746.flash", 1 * MiB, &error_fatal);
    memory_region_add_subregion(get_system_memory(), 0x08000000, &soc->flash);
    memory_region_init_alias(&soc->flash_itcm, OBJECT(soc), "stm32f746.flash-itcm", &soc->flash, 0, 1 * MiB);
    memory_region_add_subregion(get_system_memory(), 0x00200000, &soc->flash_itcm);
    add_ram(&soc->itcm, "stm32f746.itcm", 0x00000000, 16 * KiB);
    add_ram(&soc->dtcm, "stm32f746.dtcm", 0x20000000, 64 * KiB);
    add_ram(&soc->sram, "stm32f746.sram1-2", 0x20010000, 256 * KiB);
    add_ram(&soc->backup_sram, "stm32f746.backup", 0x40024000, 4 * KiB);
}

static void soc_instance_init(Object *object)
{
    Soc *soc = STM32F746_SOC(object);

    object_initialize_child(object, "armv7m", &soc->cpu, TYPE_ARMV7M);
    qbus_init(&soc->card.bus, sizeof(soc->card.bus), TYPE_SD_BUS, DEVICE(object), "sd-bus");
    soc->hclk = clock_new(object, "HCLK");
    soc->reference = clock_new(object, "REFERENCE");
    clock_set_hz(soc->hclk, 16000000);
    /* SysTick's other source is HCLK / 8. */
    clock_set_mul_div(soc->reference, 8, 1);
    clock_set_source(soc->reference, soc->hclk);
}

static void soc_realize(DeviceState *device, Error **errp)
{
    Soc *soc = STM32F746_SOC(device);
    DeviceState *cpu = DEVICE(&soc->cpu);

    add_memories(soc);
    qdev_prop_set_uint32(cpu, "num-irq", 98);
    qdev_prop_set_string(cpu, "cpu-type", ARM_CPU_TYPE_NAME("cortex-m7"));
    qdev_prop_set_uint32(cpu, "init-svtor", 0x08000000);
    qdev_prop_set_uint32(cpu, "init-nsvtor", 0x08000000);
    qdev_connect_clock_in(cpu, "cpuclk", soc->hclk);
    qdev_connect_clock_in(cpu, "refclk", soc->reference);
    object_property_set_link(OBJECT(cpu), "memory", OBJECT(get_system_memory()), &error_abort);
    if (!sysbus_realize(SYS_BUS_DEVICE(cpu), errp)) {
        return;
    }
    count_before_sleep(CPU(soc->cpu.cpu));
    /* What nobody models reads as zero and is logged. */
    create_unimplemented_device("stm32f746.peripherals", 0x40000000, 0x20000000);
    clocks_init(&soc->clocks, soc);
    gpio_init(&soc->gpio, soc);
    timer_init_at(&soc->tim2, soc, "tim2", 0x40000000, 28, 0);
    timer_init_at(&soc->tim5, soc, "tim5", 0x40000C00, 50, 3);
    usart_init(&soc->usart1, soc);
    dma_init(&soc->dma2, soc);
    sdmmc_init(&soc->sdmmc1, soc);
    cycles_init(&soc->cycles, soc);
}

static Property soc_properties[] = {
    DEFINE_PROP_UINT32("card-read-us", Soc, card.read_us, 280),
    DEFINE_PROP_UINT32("card-write-us", Soc, card.write_us, 935),
    DEFINE_PROP_UINT32("card-read-kib-s", Soc, card.read_kib_s, 0),
    DEFINE_PROP_UINT32("card-write-kib-s", Soc, card.write_kib_s, 0),
    DEFINE_PROP_UINT32("card-eject-at", Soc, card.eject_at, 0),
    DEFINE_PROP_UINT32("card-crc-error-at", Soc, card.crc_error_at, 0),
    DEFINE_PROP_UINT32("card-hang-at", Soc, card.hang_at, 0),
    DEFINE_PROP_UINT64("card-cut-after", Soc, card.cut_after, 0),
    DEFINE_PROP_END_OF_LIST(),
};

static void soc_class_init(ObjectClass *class, void *data)
{
    DeviceClass *device = DEVICE_CLASS(class);

    device->realize = soc_realize;
    device->user_creatable = false;
    device_class_set_props(device, soc_properties);
}

static const TypeInfo soc_type = {
    .name = TYPE_STM32F746_SOC,
    .parent = TYPE_SYS_BUS_DEVICE,
    .instance_size = sizeof(Soc),
    .instance_init = soc_instance_init,
    .class_init = soc_class_init,
};

static void register_types(void)
{
    type_register_static(&soc_type);
}
type_init(register_types)
