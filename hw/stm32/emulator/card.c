/*
 * The card in the slot. QEMU's own SD card (hw/sd/sd.c) holds the protocol and the image; this is its time and its faults.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/error-report.h"
#include "soc.h"

enum { STATUS_READY_FOR_DATA = 1u << 8, STATUS_STATE = 15u << 9, STATE_PROGRAMMING = 7u << 9 };

bool card_present(const Card *card)
{
    return card->image != NULL && !card->removed;
}

static bool programming(const Card *card)
{
    return now_ns() < card->busy_until_ns;
}

/* Follows what the card is told, as far as QEMU's card keeps it to itself. */
static void follow(Card *card, uint8_t command, uint32_t argument, const uint8_t response[16])
{
    if (card->application_command && command == 6) {
        card->wide = (argument & 3) == 2;
    } else if (card->application_command && command == 41) {
        card->block_addressed = ldl_be_p(response) >> 30 & 1;
    } else if (command == 6) {
        card->high_speed = (argument & 0x8000000Fu) == 0x80000001u;
    } else if (command == 24 || command == 25) {
        card->write_address = card->block_addressed ? (uint64_t)argument * SECTOR_BYTES : argument;
    } else if (command == 0) {
        card->wide = card->high_speed = false;
    }
    card->application_command = command == 55;
}

int card_command(Card *card, uint8_t command, uint32_t argument, uint8_t response[16])
{
    SDRequest request = { .cmd = command, .arg = argument };
    int length;

    if (!card_present(card)) {
        return 0;
    }
    if (programming(card) && command != 12 && command != 13) {
        GUEST_ERROR("CMD%u while the card is programming: it does not answer", command);
        return 0;
    }
    length = sdbus_do_command(&card->bus, &request, response);
    if (length < 0) {
        return 0;
    }
    follow(card, command, argument, response);
    if (command == 13 && length == 4 && programming(card)) {
        uint32_t status = ldl_be_p(response);
        stl_be_p(response, (status & ~(STATUS_STATE | STATUS_READY_FOR_DATA)) | STATE_PROGRAMMING);
    }
    return length;
}

CardFault card_begin_transfer(Card *card)
{
    ++card->transfers;
    if (card->transfers == card->eject_at) {
        return CARD_EJECTED;
    }
    if (card->transfers == card->crc_error_at) {
        return CARD_CRC_ERROR;
    }
    return card->transfers == card->hang_at ? CARD_HANGS : CARD_WORKS;
}

int64_t card_transfer_ns(const Card *card, bool read, uint32_t bytes, uint64_t bus_bytes_s)
{
    uint64_t limit = (uint64_t)(read ? card->read_kib_s : card->write_kib_s) * 1024;
    uint64_t rate = limit != 0 && limit < bus_bytes_s ? limit : bus_bytes_s;

    return (read ? (int64_t)card->read_us * 1000 : 0) + muldiv64(bytes, 1000000000, rate);
}

void card_read(Card *card, uint8_t *bytes, uint32_t size)
{
    sdbus_read_data(&card->bus, bytes, size);
}

/* Nothing of what the card was told since survives, except the bytes that it has: the sector in progress is torn. */
static void G_NORETURN cut_power(Card *card)
{
    uint32_t left = -(uint32_t)card->write_address % SECTOR_BYTES;
    uint8_t old[SECTOR_BYTES];

    if (left != 0 && blk_pread(card->image, card->write_address, left, old, 0) >= 0) {
        sdbus_write_data(&card->bus, old, left);
    }
    blk_flush(card->image);
    error_report("power cut after %" PRIu64 " written bytes", card->written);
    exit(POWER_CUT_STATUS);
}

void card_write(Card *card, const uint8_t *bytes, uint32_t size)
{
    uint64_t left = card->cut_after == 0 ? UINT64_MAX : card->cut_after - card->written;
    uint32_t part = size < left ? size : left;

    sdbus_write_data(&card->bus, bytes, part);
    card->write_address += part;
    card->written += part;
    if (part == left) {
        cut_power(card);
    }
}

void card_program(Card *card)
{
    card->busy_until_ns = now_ns() + (int64_t)card->write_us * 1000;
}
