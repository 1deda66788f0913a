/*
 * Reset and clock control, power control and the flash interface, and the limits between them.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "soc.h"

enum {
    HSI_HZ = 16000000,
    HSE_HZ = 25000000, /* the crystal of the Discovery board */
    CR_ON_BITS = 0x15010001u, /* HSION, HSEON, PLLON, PLLI2SON, PLLSAION; each RDY bit is the next one */
    CR_PLLON = 1u << 24,
    PLLCFGR_HSE = 1u << 22,
    CFGR_SOURCE = 3, SOURCE_HSE = 1, SOURCE_PLL = 2,
    PWR_CR1_OVERDRIVE = 3u << 16, /* ODEN, ODSWEN; their RDY bits in CSR1 have the same places */
    PWR_CR1_VOS = 3u << 14,
    PWR_CSR1_VOSRDY = 1u << 14,
    APB1ENR_PWREN = 28,
    ACR_LATENCY = 15,
};

static uint64_t pll_input_hz(const ClockTree *clocks)
{
    uint32_t configuration = clocks->rcc[RCC_PLLCFGR], divider = configuration & 63;
    return (configuration & PLLCFGR_HSE ? HSE_HZ : HSI_HZ) / (divider != 0 ? divider : 1);
}

static uint64_t vco_hz(const ClockTree *clocks)
{
    return pll_input_hz(clocks) * (clocks->rcc[RCC_PLLCFGR] >> 6 & 511);
}

uint64_t pllq_hz(const Soc *soc)
{
    uint32_t q = soc->clocks.rcc[RCC_PLLCFGR] >> 24 & 15;
    return soc->clocks.rcc[RCC_CR] & CR_PLLON && q != 0 ? vco_hz(&soc->clocks) / q : 0;
}

static uint32_t apb_divider(uint32_t field)
{
    return field & 4 ? 2u << (field & 3) : 1;
}

uint64_t apb1_hz(const Soc *soc)
{
    return soc->clocks.hclk_hz / apb_divider(soc->clocks.rcc[RCC_CFGR] >> 10 & 7);
}

uint64_t apb2_hz(const Soc *soc)
{
    return soc->clocks.hclk_hz / apb_divider(soc->clocks.rcc[RCC_CFGR] >> 13 & 7);
}

uint64_t apb1_timer_hz(const Soc *soc)
{
    return apb_divider(soc->clocks.rcc[RCC_CFGR] >> 10 & 7) == 1 ? apb1_hz(soc) : 2 * apb1_hz(soc);
}

static uint64_t sysclk_hz(const ClockTree *clocks)
{
    uint64_t input = pll_input_hz(clocks), vco = vco_hz(clocks);

    switch (clocks->rcc[RCC_CFGR] & CFGR_SOURCE) {
    case SOURCE_HSE:
        return HSE_HZ;
    case SOURCE_PLL:
        break;
    default:
        return HSI_HZ;
    }
    if (!(clocks->rcc[RCC_CR] & CR_PLLON)) {
        GUEST_ERROR("system clock switched to a PLL that is off");
    }
    if (input < 950000 || input > 2100000) {
        GUEST_ERROR("PLL input of %" PRIu64 " Hz is outside 0.95 to 2.1 MHz", input);
    }
    if (vco < 100000000 || vco > 432000000) {
        GUEST_ERROR("PLL oscillator at %" PRIu64 " Hz is outside 100 to 432 MHz", vco);
    }
    return vco / (2 * ((clocks->rcc[RCC_PLLCFGR] >> 16 & 3) + 1));
}

/* RM0385, table of wait states at 2.7 to 3.6 V: one for each 30 MHz begun; data sheet DS10916, operating conditions. */
static void check_limits(const Soc *soc)
{
    const ClockTree *clocks = &soc->clocks;
    uint64_t hz = clocks->hclk_hz;

    if (hz > 216000000) {
        GUEST_ERROR("core clock of %" PRIu64 " Hz is above 216 MHz", hz);
    }
    if (hz > 180000000 && (clocks->pwr[0] & PWR_CR1_OVERDRIVE) != PWR_CR1_OVERDRIVE) {
        GUEST_ERROR("core clock of %" PRIu64 " Hz without over-drive", hz);
    }
    if ((clocks->flash[0] & ACR_LATENCY) < (hz - 1) / 30000000) {
        GUEST_ERROR("%u flash wait states are too few for %" PRIu64 " Hz", clocks->flash[0] & ACR_LATENCY, hz);
    }
    if (apb1_hz(soc) > 54000000) {
        GUEST_ERROR("APB1 clock of %" PRIu64 " Hz is above 54 MHz", apb1_hz(soc));
    }
    if (apb2_hz(soc) > 108000000) {
        GUEST_ERROR("APB2 clock of %" PRIu64 " Hz is above 108 MHz", apb2_hz(soc));
    }
}

static void update(ClockTree *clocks, uint64_t old_timer_hz)
{
    static const uint16_t ahb_dividers[16] = {1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 8, 16, 64, 128, 256, 512};
    Soc *soc = clocks->soc;

    timer_clock_changes(&soc->tim2, old_timer_hz);
    timer_clock_changes(&soc->tim5, old_timer_hz);
    cycles_clock_changes(&soc->cycles, clocks->hclk_hz);
    clocks->hclk_hz = sysclk_hz(clocks) / ahb_dividers[clocks->rcc[RCC_CFGR] >> 4 & 15];
    check_limits(soc);
    clock_update_hz(soc->hclk, clocks->hclk_hz);
}

bool clock_is_on(Soc *soc, int rcc_register, int bit, const char *who)
{
    if (soc->clocks.rcc[rcc_register] >> bit & 1) {
        return true;
    }
    GUEST_ERROR("%s written while its clock is off", who);
    return false;
}

static uint64_t rcc_read(void *opaque, hwaddr offset, unsigned size)
{
    return ((ClockTree *)opaque)->rcc[offset >> 2 & 63];
}

static void rcc_write(void *opaque, hwaddr offset, uint64_t value, unsigned size)
{
    ClockTree *clocks = opaque;
    uint32_t number = offset >> 2 & 63;
    uint64_t old_timer_hz = apb1_timer_hz(clocks->soc);

    if (number == RCC_CR) {
        value = (value & ~(uint64_t)(CR_ON_BITS << 1)) | (value & CR_ON_BITS) << 1;
    } else if (number == RCC_PLLCFGR && clocks->rcc[RCC_CR] & CR_PLLON) {
        GUEST_ERROR("PLLCFGR written while the PLL is on");
        return;
    } else if (number == RCC_CFGR) {
        value = (value & ~12ull) | (value & CFGR_SOURCE) << 2; /* SWS follows SW */
    }
    clocks->rcc[number] = value;
    if (number == RCC_CFGR) {
        update(clocks, old_timer_hz);
    }
}

static uint64_t pwr_read(void *opaque, hwaddr offset, unsigned size)
{
    const ClockTree *clocks = opaque;
    return offset == 4 ? PWR_CSR1_VOSRDY | (clocks->pwr[0] & PWR_CR1_OVERDRIVE) : clocks->pwr[offset >> 2 & 3];
}

static void pwr_write(void *opaque, hwaddr offset, uint64_t value, unsigned size)
{
    ClockTree *clocks = opaque;
    if (clock_is_on(clocks->soc, RCC_APB1ENR, APB1ENR_PWREN, "PWR")) {
        clocks->pwr[offset >> 2 & 3] = value;
    }
}

static uint64_t flash_read(void *opaque, hwaddr offset, unsigned size)
{
    return ((ClockTree *)opaque)->flash[offset >> 2 & 7];
}

static void flash_write(void *opaque, hwaddr offset, uint64_t value, unsigned size)
{
    ((ClockTree *)opaque)->flash[offset >> 2 & 7] = value;
}

static const MemoryRegionOps rcc_ops = {
    .read = rcc_read, .write = rcc_write, .endianness = DEVICE_LITTLE_ENDIAN, .impl = {4, 4},
};
static const MemoryRegionOps pwr_ops = {
    .read = pwr_read, .write = pwr_write, .endianness = DEVICE_LITTLE_ENDIAN, .impl = {4, 4},
};
static const MemoryRegionOps flash_ops = {
    .read = flash_read, .write = flash_write, .endianness = DEVICE_LITTLE_ENDIAN, .impl = {4, 4},
};

void clocks_init(ClockTree *clocks, Soc *soc)
{
    clocks->soc = soc;
    soc_map(soc, &clocks->rcc_region, &rcc_ops, clocks, "rcc", 0x40023800, 0x400);
    soc_map(soc, &clocks->pwr_region, &pwr_ops, clocks, "pwr", 0x40007000, 0x400);
    soc_map(soc, &clocks->flash_region, &flash_ops, clocks, "flash interface", 0x40023C00, 0x400);
    /* Reset values. */
    clocks->rcc[RCC_CR] = 0x83;
    clocks->rcc[RCC_PLLCFGR] = 0x24003010;
    clocks->rcc[RCC_AHB1ENR] = 0x00100000;
    clocks->pwr[0] = PWR_CR1_VOS;
    clocks->hclk_hz = HSI_HZ;
}
