/*
 * SDMMC1: commands and DMA transfers, in the time that the bus and the card take.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Not modelled: the FIFO by program (firmware uses DMA), streams of MMC, SDIO.
 */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "hw/irq.h"
#include "soc.h"

enum {
    POWER = 0x00, CLKCR = 0x04, ARG = 0x08, CMD = 0x0C, RESPCMD = 0x10, RESP1 = 0x14, RESP4 = 0x20, DTIMER = 0x24,
    DLEN = 0x28, DCTRL = 0x2C, DCOUNT = 0x30, STA = 0x34, ICR = 0x38, MASK = 0x3C,
    POWER_ON = 3,
    CLKCR_CLKEN = 1u << 8, CLKCR_BYPASS = 1u << 10,
    CMD_CPSMEN = 1u << 10, SHORT_RESPONSE = 1, LONG_RESPONSE = 3,
    DCTRL_DTEN = 1, DCTRL_TO_HOST = 2, DCTRL_DMAEN = 8,
    CCRCFAIL = 1, DCRCFAIL = 2, CTIMEOUT = 4, DTIMEOUT = 8, TXUNDERR = 16, RXOVERR = 32, CMDREND = 64, CMDSENT = 128,
    DATAEND = 256, DBCKEND = 1024, CMDACT = 1u << 11, TXACT = 1u << 12, RXACT = 1u << 13,
    STATIC_FLAGS = 0x5FF,
    IRQ_SDMMC1 = 49, APB2ENR_SDMMC1 = 11, AF_SDMMC1 = 12,
    IDENTIFICATION_HZ = 400000, DEFAULT_SPEED_HZ = 25000000, HIGH_SPEED_HZ = 50000000,
    FIFO_CLOCKS = 240, /* until the last words have left the FIFO, where others are on the bus */
};

static void update_irq(Sdmmc *sdmmc)
{
    qemu_set_irq(sdmmc->irq, (sdmmc->sta & sdmmc->mask) != 0);
}

static uint64_t bus_hz(const Sdmmc *sdmmc)
{
    uint64_t hz = pllq_hz(sdmmc->soc);
    hz = sdmmc->clkcr & CLKCR_BYPASS ? hz : hz / ((sdmmc->clkcr & 255) + 2);
    return hz != 0 ? hz : 1;
}

static bool bus_is_wide(const Sdmmc *sdmmc)
{
    return (sdmmc->clkcr >> 11 & 3) == 1;
}

static int64_t clocks_ns(const Sdmmc *sdmmc, uint64_t clocks)
{
    return muldiv64(clocks, 1000000000, bus_hz(sdmmc));
}

static bool pins_are_set(const Sdmmc *sdmmc)
{
    static const struct { uint8_t port, pin; bool wide; } pins[] = {
        {PORT_C, 8, false}, {PORT_C, 9, true}, {PORT_C, 10, true}, {PORT_C, 11, true}, {PORT_C, 12, false}, {PORT_D, 2, false},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(pins); ++i) {
        if ((!pins[i].wide || bus_is_wide(sdmmc)) &&
            !pin_has_function(sdmmc->soc, pins[i].port, pins[i].pin, AF_SDMMC1)) {
            GUEST_ERROR("P%c%u does not have the function of SDMMC1", 'A' + pins[i].port, pins[i].pin);
            return false;
        }
    }
    return true;
}

/* SD Physical Layer specification, 4.2 and 6.6. */
static void check_bus_clock(const Sdmmc *sdmmc, uint8_t command)
{
    const Card *card = &sdmmc->soc->card;
    bool identifying = command == 0 || command == 8 || command == 41 || command == 2 || command == 3;
    uint64_t limit = identifying ? IDENTIFICATION_HZ : card->high_speed ? HIGH_SPEED_HZ : DEFAULT_SPEED_HZ;

    if (bus_hz(sdmmc) > limit) {
        GUEST_ERROR("CMD%u at %" PRIu64 " Hz, the card takes %" PRIu64, command, bus_hz(sdmmc), limit);
    }
}

/* ---- Data ---- */

static void end_data(Sdmmc *sdmmc, uint32_t flags)
{
    sdmmc->sta = (sdmmc->sta & ~(TXACT | RXACT)) | flags;
    sdmmc->dctrl &= ~DCTRL_DTEN;
    update_irq(sdmmc);
}

/* The last words of a read leave the FIFO after the last one has come in. */
static void dma_ended(void *opaque)
{
    Sdmmc *sdmmc = opaque;
    Dma *dma = &sdmmc->soc->dma2;

    if (dma_copy(dma, sdmmc->stream, true, sdmmc->fetched, sdmmc->fetched_bytes)) {
        dma_complete(dma, sdmmc->stream);
    }
    g_clear_pointer(&sdmmc->fetched, g_free);
}

static void read_ended(Sdmmc *sdmmc, int stream, uint32_t bytes, bool corrupt)
{
    Dma *dma = &sdmmc->soc->dma2;

    g_free(sdmmc->fetched);
    sdmmc->fetched = g_malloc(bytes);
    sdmmc->fetched_bytes = bytes;
    card_read(&sdmmc->soc->card, sdmmc->fetched, bytes);
    if (corrupt) {
        sdmmc->fetched[bytes / 2] ^= 0x10;
        dma_copy(dma, stream, true, sdmmc->fetched, bytes);
        end_data(sdmmc, DCRCFAIL);
        return;
    }
    sdmmc->stream = stream;
    timer_mod(sdmmc->dma_end, now_ns() + clocks_ns(sdmmc, FIFO_CLOCKS));
    end_data(sdmmc, DATAEND | DBCKEND);
}

static void write_ended(Sdmmc *sdmmc, int stream, uint32_t bytes, bool corrupt)
{
    Dma *dma = &sdmmc->soc->dma2;
    g_autofree uint8_t *data = g_malloc(bytes);

    if (!dma_copy(dma, stream, false, data, bytes)) {
        end_data(sdmmc, TXUNDERR);
        return;
    }
    if (corrupt) {
        end_data(sdmmc, DCRCFAIL);
        return;
    }
    card_write(&sdmmc->soc->card, data, bytes);
    card_program(&sdmmc->soc->card);
    dma_complete(dma, stream);
    end_data(sdmmc, DATAEND | DBCKEND);
}

static void data_ended(void *opaque)
{
    Sdmmc *sdmmc = opaque;
    Card *card = &sdmmc->soc->card;
    bool read = sdmmc->dctrl & DCTRL_TO_HOST;
    bool corrupt = card->transfers == card->crc_error_at || card->wide != bus_is_wide(sdmmc);
    uint32_t bytes = sdmmc->dcount;
    int stream = dma_stream_for_sdmmc(&sdmmc->soc->dma2, read);

    if (!card_present(card) || card->transfers == card->hang_at) {
        end_data(sdmmc, DTIMEOUT);
    } else if (stream < 0 || dma_words(&sdmmc->soc->dma2, stream, bytes / 4) != bytes / 4) {
        /* Nobody empties or fills the FIFO. */
        end_data(sdmmc, read ? RXOVERR : TXUNDERR);
    } else {
        sdmmc->dcount = 0;
        (read ? read_ended : write_ended)(sdmmc, stream, bytes, corrupt);
    }
}

static void start_data(Sdmmc *sdmmc)
{
    Card *card = &sdmmc->soc->card;
    bool read = sdmmc->dctrl & DCTRL_TO_HOST;
    int64_t transfer_ns;

    if (!(sdmmc->dctrl & DCTRL_DTEN) || sdmmc->dcount == 0 || timer_pending(sdmmc->data_end) || !card_present(card)) {
        return;
    }
    if (read ? !sdbus_data_ready(&card->bus) : !sdbus_receive_ready(&card->bus)) {
        return;
    }
    sdmmc->sta |= read ? RXACT : TXACT;
    transfer_ns = card_transfer_ns(card, read, sdmmc->dcount, bus_hz(sdmmc) * (bus_is_wide(sdmmc) ? 4 : 1) / 8);
    switch (card_begin_transfer(card)) {
    case CARD_EJECTED:
        card->removed = true;
        transfer_ns = transfer_ns / 2 + clocks_ns(sdmmc, sdmmc->dtimer);
        break;
    case CARD_HANGS:
        transfer_ns = clocks_ns(sdmmc, sdmmc->dtimer);
        break;
    case CARD_CRC_ERROR:
    case CARD_WORKS:
        break;
    }
    timer_mod(sdmmc->data_end, now_ns() + transfer_ns);
}

/* ---- Commands ---- */

static void command_ended(void *opaque)
{
    Sdmmc *sdmmc = opaque;
    uint8_t command = sdmmc->cmd & 63, response[16] = {0};
    uint32_t wait = sdmmc->cmd >> 6 & 3;
    int length = 0;

    sdmmc->sta &= ~CMDACT;
    check_bus_clock(sdmmc, command);
    if (pins_are_set(sdmmc)) {
        length = card_command(&sdmmc->soc->card, command, sdmmc->arg, response);
    }
    sdmmc->respcmd = command;
    if (!(wait & 1)) {
        sdmmc->sta |= CMDSENT;
    } else if (length == 0 || (length == 4 && wait == LONG_RESPONSE)) {
        sdmmc->sta |= CTIMEOUT;
    } else {
        for (int i = 0; i < length / 4; ++i) {
            sdmmc->resp[i] = ldl_be_p(response + 4 * i);
        }
        /* The response of ACMD41 carries no checksum. */
        sdmmc->sta |= command == 41 ? CCRCFAIL : CMDREND;
    }
    if ((command == 17 || command == 18) && length != 0 && !(sdmmc->dctrl & DCTRL_DTEN)) {
        GUEST_ERROR("CMD%u before the data path is enabled: the first bytes are lost", command);
    }
    start_data(sdmmc);
    update_irq(sdmmc);
}

static void start_command(Sdmmc *sdmmc)
{
    uint32_t wait = sdmmc->cmd >> 6 & 3;
    /* 48 bits there, at least two clocks between, 48 or 136 bits back; a missing response is waited for 64 clocks. */
    uint64_t clocks = 48 + (wait & 1 ? (wait == LONG_RESPONSE ? 2 + 136 : 2 + 48) : 0);

    if ((sdmmc->power & 3) != POWER_ON || !(sdmmc->clkcr & CLKCR_CLKEN)) {
        GUEST_ERROR("SDMMC1 command while its power or clock is off");
        return;
    }
    if (pllq_hz(sdmmc->soc) > HIGH_SPEED_HZ || pllq_hz(sdmmc->soc) == 0) {
        GUEST_ERROR("SDMMC1 clock of %" PRIu64 " Hz", pllq_hz(sdmmc->soc));
    }
    if (timer_pending(sdmmc->command_end)) {
        GUEST_ERROR("CMD%u while another command is on the bus", sdmmc->cmd & 63);
    }
    sdmmc->sta |= CMDACT;
    timer_mod(sdmmc->command_end, now_ns() + clocks_ns(sdmmc, clocks));
}

/* ---- Registers ---- */

static uint64_t sdmmc_read(void *opaque, hwaddr offset, unsigned size)
{
    const Sdmmc *sdmmc = opaque;

    switch (offset) {
    case POWER:
        return sdmmc->power;
    case CLKCR:
        return sdmmc->clkcr;
    case ARG:
        return sdmmc->arg;
    case CMD:
        return sdmmc->cmd;
    case RESPCMD:
        return sdmmc->respcmd;
    case RESP1 ... RESP4:
        return sdmmc->resp[(offset - RESP1) >> 2];
    case DTIMER:
        return sdmmc->dtimer;
    case DLEN:
        return sdmmc->dlen;
    case DCTRL:
        return sdmmc->dctrl;
    case DCOUNT:
        return sdmmc->dcount;
    case STA:
        return sdmmc->sta;
    case MASK:
        return sdmmc->mask;
    default:
        qemu_log_mask(LOG_UNIMP, "stm32f746: SDMMC register 0x%02x is not modelled\n", (unsigned)offset);
        return 0;
    }
}

static void write_dctrl(Sdmmc *sdmmc, uint32_t value)
{
    sdmmc->dctrl = value;
    if (!(value & DCTRL_DTEN)) {
        timer_del(sdmmc->data_end);
        sdmmc->sta &= ~(TXACT | RXACT);
        return;
    }
    if (!(value & DCTRL_DMAEN) || (value >> 4 & 15) != 9) {
        qemu_log_mask(LOG_UNIMP, "stm32f746: SDMMC transfers without DMA or of other blocks than 512 bytes\n");
    }
    sdmmc->dcount = sdmmc->dlen;
    start_data(sdmmc);
}

static void sdmmc_write(void *opaque, hwaddr offset, uint64_t value, unsigned size)
{
    Sdmmc *sdmmc = opaque;

    if (!clock_is_on(sdmmc->soc, RCC_APB2ENR, APB2ENR_SDMMC1, "SDMMC1")) {
        return;
    }
    switch (offset) {
    case POWER:
        sdmmc->power = value;
        break;
    case CLKCR:
        sdmmc->clkcr = value;
        break;
    case ARG:
        sdmmc->arg = value;
        break;
    case CMD:
        sdmmc->cmd = value;
        if (value & CMD_CPSMEN) {
            start_command(sdmmc);
        }
        break;
    case DTIMER:
        sdmmc->dtimer = value;
        break;
    case DLEN:
        sdmmc->dlen = value & 0x1FFFFFF;
        break;
    case DCTRL:
        write_dctrl(sdmmc, value);
        break;
    case ICR:
        sdmmc->sta &= ~((uint32_t)value & STATIC_FLAGS);
        break;
    case MASK:
        sdmmc->mask = value;
        break;
    default:
        qemu_log_mask(LOG_UNIMP, "stm32f746: SDMMC register 0x%02x is not modelled\n", (unsigned)offset);
    }
    update_irq(sdmmc);
}

static const MemoryRegionOps sdmmc_ops = {
    .read = sdmmc_read, .write = sdmmc_write, .endianness = DEVICE_LITTLE_ENDIAN, .impl = {4, 4},
};

void sdmmc_init(Sdmmc *sdmmc, Soc *soc)
{
    sdmmc->soc = soc;
    sdmmc->irq = qdev_get_gpio_in(DEVICE(&soc->cpu), IRQ_SDMMC1);
    sdmmc->command_end = timer_new_ns(QEMU_CLOCK_VIRTUAL, command_ended, sdmmc);
    sdmmc->data_end = timer_new_ns(QEMU_CLOCK_VIRTUAL, data_ended, sdmmc);
    sdmmc->dma_end = timer_new_ns(QEMU_CLOCK_VIRTUAL, dma_ended, sdmmc);
    soc_map(soc, &sdmmc->region, &sdmmc_ops, sdmmc, "sdmmc1", 0x40012C00, 0x400);
}
