/*
 * DMA2, as far as SDMMC1 uses it: streams 3 and 6, channel 4.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "exec/address-spaces.h"
#include "hw/irq.h"
#include "soc.h"

enum {
    CR = 0, NDTR = 1, PAR = 2, M0AR = 3,
    CR_EN = 1, CR_TEIE = 4, CR_TCIE = 16, CR_PFCTRL = 32, CR_MINC = 1u << 10,
    CR_DIRECTION = 3u << 6, CR_TO_PERIPHERAL = 1u << 6, CR_SIZES = 15u << 11, CR_WORDS = 10u << 11,
    CR_MBURST = 3u << 23,
    FLAG_TE = 8, FLAG_TC = 32, FLAGS = 0x3D,
    AHB1ENR_DMA2 = 22, CHANNEL = 4, SDMMC1_FIFO = 0x40012C80,
};

static unsigned flag_shift(unsigned stream)
{
    static const uint8_t shifts[4] = {0, 6, 16, 22};
    return shifts[stream % 4];
}

static void update_irqs(Dma *dma)
{
    for (unsigned i = 0; i < 8; ++i) {
        uint32_t flags = dma->isr[i / 4] >> flag_shift(i), cr = dma->streams[i].cr;
        qemu_set_irq(dma->irqs[i], (flags & FLAG_TC && cr & CR_TCIE) || (flags & FLAG_TE && cr & CR_TEIE));
    }
}

static void set_flag(Dma *dma, unsigned stream, uint32_t flag)
{
    dma->isr[stream / 4] |= flag << flag_shift(stream);
    update_irqs(dma);
}

int dma_stream_for_sdmmc(const Dma *dma, bool to_memory)
{
    static const uint8_t candidates[2] = {3, 6};
    uint32_t direction = to_memory ? 0 : CR_TO_PERIPHERAL;

    for (unsigned k = 0; k < 2; ++k) {
        const DmaStream *stream = &dma->streams[candidates[k]];
        if (stream->cr & CR_EN && (stream->cr >> 25 & 7) == CHANNEL && stream->par == SDMMC1_FIFO &&
            (stream->cr & CR_DIRECTION) == direction) {
            return candidates[k];
        }
    }
    return -1;
}

uint32_t dma_words(const Dma *dma, int stream, uint32_t words)
{
    const DmaStream *s = &dma->streams[stream];
    return s->cr & CR_PFCTRL || s->ndtr > words ? words : s->ndtr;
}

bool dma_copy(Dma *dma, int stream, bool to_memory, uint8_t *bytes, uint32_t size)
{
    hwaddr address = dma->streams[stream].m0ar;
    MemTxResult result = to_memory
        ? address_space_write(&address_space_memory, address, MEMTXATTRS_UNSPECIFIED, bytes, size)
        : address_space_read(&address_space_memory, address, MEMTXATTRS_UNSPECIFIED, bytes, size);

    if (result == MEMTX_OK) {
        return true;
    }
    GUEST_ERROR("DMA2 stream %d: %u bytes at 0x%08x are not all memory", stream, size, (unsigned)address);
    dma->streams[stream].cr &= ~CR_EN;
    set_flag(dma, stream, FLAG_TE);
    return false;
}

void dma_complete(Dma *dma, int stream)
{
    dma->streams[stream].cr &= ~CR_EN;
    set_flag(dma, stream, FLAG_TC);
}

static void check_enabled(const Dma *dma, unsigned number)
{
    const DmaStream *stream = &dma->streams[number];

    if ((stream->cr & CR_SIZES) != CR_WORDS || !(stream->cr & CR_MINC)) {
        GUEST_ERROR("DMA2 stream %u: only words to ascending addresses fit the FIFO of SDMMC1", number);
    }
    if (stream->m0ar % (stream->cr & CR_MBURST ? 16 : 4) != 0) {
        GUEST_ERROR("DMA2 stream %u: memory address 0x%08x is not aligned to its burst", number, stream->m0ar);
    }
}

static void write_stream(Dma *dma, unsigned number, unsigned field, uint32_t value)
{
    DmaStream *stream = &dma->streams[number];
    bool was_on = stream->cr & CR_EN;

    if (field != CR && was_on) {
        GUEST_ERROR("DMA2 stream %u: register %u written while the stream is on", number, field);
        return;
    }
    if (field == CR && value & CR_EN && !was_on && dma->isr[number / 4] & FLAGS << flag_shift(number)) {
        GUEST_ERROR("DMA2 stream %u enabled with flags of an earlier transfer: it stays off", number);
        value &= ~CR_EN;
    }
    ((uint32_t *)stream)[field] = value;
    if (field == CR && value & CR_EN && !was_on) {
        check_enabled(dma, number);
    }
    update_irqs(dma);
}

static uint64_t dma_read(void *opaque, hwaddr offset, unsigned size)
{
    const Dma *dma = opaque;
    uint32_t number = (offset - 0x10) / 0x18;

    if (offset < 0x10) {
        return offset < 8 ? dma->isr[offset >> 2] : 0;
    }
    return number < 8 ? ((const uint32_t *)&dma->streams[number])[(offset - 0x10) % 0x18 >> 2] : 0;
}

static void dma_write(void *opaque, hwaddr offset, uint64_t value, unsigned size)
{
    Dma *dma = opaque;
    uint32_t number = (offset - 0x10) / 0x18;

    if (!clock_is_on(dma->soc, RCC_AHB1ENR, AHB1ENR_DMA2, "DMA2")) {
        return;
    }
    if (offset >= 8 && offset < 0x10) {
        dma->isr[(offset - 8) >> 2] &= ~(uint32_t)value;
        update_irqs(dma);
    } else if (offset >= 0x10 && number < 8) {
        write_stream(dma, number, (offset - 0x10) % 0x18 >> 2, value);
    }
}

static const MemoryRegionOps dma_ops = {
    .read = dma_read, .write = dma_write, .endianness = DEVICE_LITTLE_ENDIAN, .impl = {4, 4},
};

void dma_init(Dma *dma, Soc *soc)
{
    static const uint8_t irqs[8] = {56, 57, 58, 59, 60, 68, 69, 70};

    dma->soc = soc;
    for (unsigned i = 0; i < 8; ++i) {
        dma->irqs[i] = qdev_get_gpio_in(DEVICE(&soc->cpu), irqs[i]);
    }
    soc_map(soc, &dma->region, &dma_ops, dma, "dma2", 0x40026400, 0x400);
}
