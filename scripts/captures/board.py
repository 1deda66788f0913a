"""The bytes of a board's serial port, until the firmware says that it has ended (sim/trace/README.md)."""

import errno
import os
import select
import termios
import time
import tty

from captures.common import CaptureError, seconds, whole_file

START, RECORD, TEXT, END = 1, 2, 5, 6


def add_to(commands):
    parser = commands.add_parser("board", help="the trace of a board, from its serial port to a file")
    parser.add_argument("--port", required=True, help="the serial device, /dev/ttyACM0 say")
    parser.add_argument("--output", required=True, metavar="FILE", help="the file of the bytes; `spillway compare` reads it")
    parser.add_argument("--baud", type=int, default=921600, help="[921600]")
    parser.add_argument("--time", type=seconds, default=3600, help="longest time in all [3600 s]")
    parser.add_argument("--silence", type=seconds, default=10, help="longest time without a byte, once there was one [10 s]")
    parser.set_defaults(run=run)


def crc16(data):
    """CRC-16/CCITT-FALSE."""
    crc = 0xFFFF
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc


def payload_of(frame):
    """What a stuffed frame (without its zero byte) holds, or None for a damaged one."""
    data = bytearray()
    at = 0
    while at < len(frame):
        distance = frame[at]
        if distance == 0 or at + distance > len(frame):
            return None
        data += frame[at + 1 : at + distance]
        at += distance
        if at < len(frame):
            data.append(0)
    if len(data) < 3 or crc16(data[:-2]) != data[-2] | data[-1] << 8:
        return None
    return bytes(data[:-2])


class Line:
    """Counts what passes, and notices the end."""

    def __init__(self):
        self.frame = bytearray()
        self.bytes = self.messages = self.records = self.damaged = 0
        self.end_code = None

    def take(self, data):
        self.bytes += len(data)
        for byte in data:
            if byte:
                self.frame.append(byte)
                continue
            if self.frame:
                self.message(payload_of(bytes(self.frame)))
            self.frame.clear()

    def message(self, payload):
        if payload is None:
            self.damaged += 1
            return
        self.messages += 1
        kind, content = payload[0], payload[3:]
        if kind == START:
            self.end_code = None  # the board began (again)
            self.records = 0
        elif kind == RECORD:
            self.records += 1
        elif kind == TEXT:
            print(f"board: {content.decode('utf-8', 'replace')}", flush=True)
        elif kind == END and content:
            self.end_code = content[0]


def open_port(port, baud):
    rate = getattr(termios, f"B{baud}", None)
    if rate is None:
        raise CaptureError(f"--baud: {baud} is no rate of this system's serial ports; expected 921600, 115200, ...", 2)
    try:
        descriptor = os.open(port, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError as error:
        raise CaptureError(f"--port: {port}: {error.strerror}", 2) from error
    try:
        tty.setraw(descriptor)
        mode = termios.tcgetattr(descriptor)
        mode[4] = mode[5] = rate
        mode[2] = mode[2] & ~(termios.CSTOPB | termios.PARENB | termios.CRTSCTS) | termios.CLOCAL | termios.CREAD
        termios.tcsetattr(descriptor, termios.TCSANOW, mode)
    except termios.error as error:
        os.close(descriptor)
        raise CaptureError(f"--port: {port} is no serial device: {error.args[-1]}", 2) from error
    return descriptor


def read_until_end(descriptor, arguments, line, file):
    """Why it stopped, or None where the board ended by itself."""
    deadline = time.monotonic() + arguments.time
    last = None
    while line.end_code is None:
        now = time.monotonic()
        if now >= deadline:
            return f"no end within {arguments.time:g} s"
        if last is not None and now - last >= arguments.silence:
            return f"nothing for {arguments.silence:g} s"
        if not select.select([descriptor], [], [], min(0.2, deadline - now))[0]:
            continue
        try:
            data = os.read(descriptor, 65536)
        except OSError as error:
            if error.errno in (errno.EAGAIN, errno.EINTR):
                continue
            return f"the port has gone: {error.strerror}"
        if not data:
            return "the port was closed"
        last = time.monotonic()
        file.write(data)
        line.take(data)
    return None


def run(arguments):
    descriptor = open_port(arguments.port, arguments.baud)
    line = Line()
    try:
        print(f"capture: {arguments.port} is open; reset the board", flush=True)
        with whole_file(arguments.output, "wb") as file:
            stopped = read_until_end(descriptor, arguments, line, file)
            if line.bytes == 0:
                raise CaptureError(f"{arguments.port}: {stopped}; no byte came")
    finally:
        os.close(descriptor)
    print(f"{arguments.output}: {line.bytes} bytes, {line.messages} messages, {line.records} tasks, "
          f"{line.damaged} damaged frames")
    if stopped:
        raise CaptureError(f"{arguments.port}: {stopped}: the trace is not complete")
    if line.end_code:
        raise CaptureError(f"the firmware ended with error {line.end_code} (hw/stm32/errors.hpp)")
    return 0
