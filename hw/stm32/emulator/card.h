/*
 * The card in the slot: how long it takes, and what goes wrong with it.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef STM32F746_CARD_H
#define STM32F746_CARD_H

#include "qemu/osdep.h"
#include "hw/sd/sd.h"
#include "sysemu/block-backend.h"

enum { SECTOR_BYTES = 512 };

/* Exit status of the emulator when the power was cut. */
enum { POWER_CUT_STATUS = 97 };

typedef struct Card {
    SDBus bus;
    BlockBackend *image; /* NULL: no card */

    /* Properties: times and rates. */
    uint32_t read_us, write_us;       /* from a command to its first byte; from the last byte until it is programmed */
    uint32_t read_kib_s, write_kib_s; /* 0: as fast as the bus */
    /* Properties: faults. Transfers count from 1; 0: never. */
    uint32_t eject_at;     /* the card is pulled out in the middle of that transfer */
    uint32_t crc_error_at; /* a bit of that transfer flips on the bus */
    uint32_t hang_at;      /* that transfer never begins */
    uint64_t cut_after;    /* power is lost when so many bytes have been written */

    bool removed;
    bool application_command;  /* the last command was CMD55 */
    bool wide, high_speed;     /* as the card was told by ACMD6, CMD6 */
    bool block_addressed;
    uint64_t write_address;    /* of the next byte to be written */
    uint64_t written;          /* bytes, over the run */
    uint32_t transfers;
    int64_t busy_until_ns;     /* programming */
} Card;

typedef enum CardFault { CARD_WORKS, CARD_EJECTED, CARD_CRC_ERROR, CARD_HANGS } CardFault;

bool card_present(const Card *card);

/* Executes a command; returns the length of the response, 0 for none or a timeout. */
int card_command(Card *card, uint8_t command, uint32_t argument, uint8_t response[16]);

/* A data transfer begins: counts it and says what becomes of it. */
CardFault card_begin_transfer(Card *card);

/* Time of a transfer of so many bytes, in ns, on a bus of that rate; without the time until a write is programmed. */
int64_t card_transfer_ns(const Card *card, bool read, uint32_t bytes, uint64_t bus_bytes_s);

void card_read(Card *card, uint8_t *bytes, uint32_t size);

/* Writes; does not return when the power is cut on the way. */
void card_write(Card *card, const uint8_t *bytes, uint32_t size);

/* The last byte of a write has arrived: the card programs from now on. */
void card_program(Card *card);

#endif
