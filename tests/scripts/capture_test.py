#!/usr/bin/python3
"""Captures from a terminal, recorded text and folders that look like a Jetson's sysfs. argv[1]: scripts/capture."""

import json
import os
import pty
import subprocess
import sys
import tempfile
import threading
import tty
import unittest
from pathlib import Path

SCRIPT = sys.argv.pop(1)
sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(SCRIPT).parent))
from captures import board, rails  # noqa: E402


def capture(*arguments):
    return subprocess.run([SCRIPT, *map(str, arguments)], capture_output=True, text=True, timeout=60)


def frame(payload):
    """A frame on the line: checksum, stuffing, zero byte."""
    crc = board.crc16(payload)
    out, block = bytearray(), bytearray()
    for byte in bytes(payload) + bytes([crc & 0xFF, crc >> 8]):
        if byte:
            block.append(byte)
        else:
            out += bytes([len(block) + 1]) + block
            block = bytearray()
    return bytes(out + bytes([len(block) + 1]) + block + b"\0")


def message(kind, number, content=b""):
    return frame(bytes([kind, number & 0xFF, number >> 8]) + content)


START = message(1, 0, b"\x01\x80\x00\x00network")
RECORD = message(2, 1, bytes([2, 0, 0, 0, 0, 0, 5, 0]))
TEXT = message(5, 2, b"hello")
END_WELL, END_BADLY = message(6, 3, b"\0\0\0"), message(6, 3, b"\x21\0\0")


class InFolder(unittest.TestCase):
    def setUp(self):
        self.kept = tempfile.TemporaryDirectory()
        self.folder = Path(self.kept.name)
        self.addCleanup(self.kept.cleanup)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path


class Board(InFolder):
    def from_terminal(self, data, *more):
        """A capture of what somebody sends on the other end of a terminal."""
        device, port = pty.openpty()
        tty.setraw(port)
        self.addCleanup(os.close, port)
        self.addCleanup(os.close, device)
        # Sent a while later, in pieces: the port is opened before the board is reset.
        def send():
            for at in range(0, len(data), 7):
                os.write(device, data[at : at + 7])
        timer = threading.Timer(0.5, send)
        timer.start()
        self.addCleanup(timer.join)
        return capture("board", "--port", os.ttyname(port), "--output", self.folder / "run.bin", *more)

    def test_frame_of_the_documentation(self):
        self.assertEqual(frame(b"\x11\x00\x22"), bytes.fromhex("021104 22EFBC00"))
        self.assertEqual(board.payload_of(frame(b"\x11\x00\x22")[:-1]), b"\x11\x00\x22")

    def test_ends_with_the_firmware(self):
        sent = b"\x55garbage\0" + START + RECORD + TEXT + END_WELL
        call = self.from_terminal(sent)
        self.assertEqual(call.returncode, 0, call.stderr)
        self.assertEqual((self.folder / "run.bin").read_bytes(), sent)
        self.assertIn("board: hello", call.stdout)
        self.assertIn(f"{len(sent)} bytes, 4 messages, 1 tasks, 1 damaged frames", call.stdout)

    def test_an_error_of_the_firmware(self):
        call = self.from_terminal(START + END_BADLY)
        self.assertEqual(call.returncode, 1)
        self.assertIn("ended with error 33", call.stderr)

    def test_silence_keeps_what_came(self):
        call = self.from_terminal(START + RECORD, "--silence", "300ms")
        self.assertEqual(call.returncode, 1)
        self.assertIn("nothing for 0.3 s: the trace is not complete", call.stderr)
        self.assertEqual((self.folder / "run.bin").read_bytes(), START + RECORD)

    def test_nothing_at_all_leaves_no_file(self):
        call = self.from_terminal(b"", "--time", "1s")
        self.assertEqual(call.returncode, 1)
        self.assertIn("no byte came", call.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_wrong_requests(self):
        self.assertIn("No such file", capture("board", "--port", "/nowhere", "--output", "x").stderr)
        call = capture("board", "--port", self.write("plain", ""), "--output", self.folder / "x")
        self.assertEqual(call.returncode, 2)
        self.assertIn("is no serial device", call.stderr)


class Energy(InFolder):
    def energy(self, text, *more):
        return capture("energy", "--meter", self.write("meter.csv", text), "--json", self.folder / "e.json", *more)

    def numbers(self):
        return json.loads((self.folder / "e.json").read_text())

    # 5 V; 100 mA outside, 300 mA between 1 s and 2 s; ten readings a second.
    RUN = "Time (ms),Voltage (V),Current (mA),D0\n" + "".join(
        f"{100 * step},5,{300 if 10 <= step <= 20 else 100},{int(10 <= step <= 20)}\n" for step in range(31))

    def test_the_marked_window(self):
        call = self.energy(self.RUN, "--marker", "D0", "--least-rate", "9")
        self.assertEqual(call.returncode, 0, call.stderr)
        self.assertAlmostEqual(self.numbers()["energy_J"], 1.5)
        self.assertAlmostEqual(self.numbers()["energy_Wh"], 1.5 / 3600)
        self.assertAlmostEqual(self.numbers()["window_s"], 1)
        self.assertAlmostEqual(self.numbers()["mean_power_W"], 1.5)
        self.assertEqual(self.numbers()["readings"], 11)

    def test_other_windows(self):
        self.energy(self.RUN, "--window", "1:2", "--least-rate", "9")
        self.assertAlmostEqual(self.numbers()["energy_J"], 1.5)
        self.energy(self.RUN, "--above", "1", "--least-rate", "9")
        self.assertAlmostEqual(self.numbers()["energy_J"], 1.5)
        self.energy(self.RUN, "--least-rate", "9")
        # 3 s of 0.5 W, and 1 W more over the window and its two slopes of 0.1 s.
        self.assertAlmostEqual(self.numbers()["energy_J"], 1.5 + 1 + 0.1)

    def test_power_as_it_is(self):
        self.energy("timestamp_s,power_W\n0,2\n0.05,4\n0.1,2\n")
        self.assertAlmostEqual(self.numbers()["energy_J"], 0.3)

    def test_too_few_readings_are_an_error(self):
        call = self.energy("time_s,power_W\n0,1\n1,1\n2,1\n")
        self.assertEqual(call.returncode, 1)
        self.assertIn("1 s without a reading; expected 10 a second", call.stderr)

    def test_two_windows_are_an_error(self):
        call = self.energy("time_s,power_W,m\n0,1,1\n.01,1,1\n.02,1,0\n.03,1,1\n.04,1,1\n", "--marker", "m")
        self.assertIn("2 windows, the first ends at 0.01 s", call.stderr)

    def test_what_is_wrong_is_named(self):
        self.assertIn(":1: column 'current' has no unit", self.energy("time_s,voltage_V,current\n").stderr)
        self.assertIn(":1: expected a time column and power", self.energy("time_s,what\n").stderr)
        call = self.energy("time_s,power_W\n0,1\n0,1\n1,x\n")
        self.assertEqual(call.returncode, 2)
        self.assertIn("meter.csv:3: the time does not go on", call.stderr)
        self.assertIn("meter.csv:4: a number is missing or none", call.stderr)
        self.assertIn("no column 'D1'", self.energy(self.RUN, "--marker", "D1").stderr)


class Rails(InFolder):
    def rows(self):
        return [line.split(",") for line in (self.folder / "rails.csv").read_text().splitlines()]

    def hwmon(self):
        chip = "sys/bus/i2c/drivers/ina3221/1-0040/hwmon/hwmon3/"
        for channel, name, volts, amperes in ((1, "VDD_IN", 5000, 1000), (2, "VDD_CPU_GPU_CV", 5000, 400), (3, "NC", 1, 1)):
            self.write(f"{chip}in{channel}_label", name + "\n")
            self.write(f"{chip}in{channel}_input", f"{volts}\n")
            self.write(f"{chip}curr{channel}_input", f"{amperes}\n")

    def test_hwmon(self):
        self.hwmon()
        call = capture("rails", "--output", self.folder / "rails.csv", "--sysfs", self.folder / "sys", "--every", "0.02",
                       "--", "sleep", "0.5")
        self.assertEqual(call.returncode, 0, call.stderr)
        rows = self.rows()
        self.assertEqual(rows[0], ["time_s", "VDD_CPU_GPU_CV_W", "VDD_IN_W"])
        self.assertEqual({tuple(row[1:]) for row in rows[1:]}, {("2", "5")})
        self.assertGreater(len(rows), 5)
        self.assertEqual(float(rows[1][0]), 0)
        self.assertGreaterEqual(float(rows[-1][0]), 0.5)

    def test_iio(self):
        chip = "sys/bus/i2c/drivers/ina3221x/6-0040/iio:device0/"
        self.write(chip + "rail_name_0", "POM_5V_IN\n")
        self.write(chip + "in_power0_input", "2532\n")
        self.assertEqual({name: read() for name, read in rails.sysfs_rails(self.folder / "sys").items()},
                         {"POM_5V_IN": 2.532})

    def test_tegrastats(self):
        line = ("11-30-2026 10:00:00 RAM 2231/6854MB (lfb 4x2MB) SWAP 0/3427MB CPU [5%@1420,off,off,0%@1420] GR3D_FREQ 0% "
                "CPU@41.5C VDD_IN 5040mW/4980mW VDD_CPU_GPU_CV 560mW/540mW VDD_SOC 1440mW/1420mW")
        self.assertEqual(rails.tegrastats_rails(line), {"VDD_IN": 5.04, "VDD_CPU_GPU_CV": 0.56, "VDD_SOC": 1.44})
        self.assertEqual(rails.tegrastats_rails("RAM 1/2MB POM_5V_IN 2532/2600 POM_5V_GPU 0/0"),
                         {"POM_5V_IN": 2.532, "POM_5V_GPU": 0.0})
        program = self.write("tegrastats", f"#!/bin/sh\nwhile :; do echo '{line}'; sleep 0.05; done\n")
        program.chmod(0o755)
        call = capture("rails", "--output", self.folder / "rails.csv", "--tegrastats", program, "--", "sleep", "0.4")
        self.assertEqual(call.returncode, 0, call.stderr)
        self.assertEqual(self.rows()[1][1:], ["0.56", "5.04", "1.44"])

    def test_the_command_fails(self):
        self.hwmon()
        call = capture("rails", "--output", self.folder / "rails.csv", "--sysfs", self.folder / "sys", "--", "false")
        self.assertEqual(call.returncode, 1)
        self.assertIn("false ended with status 1", call.stderr)

    def test_no_jetson(self):
        call = capture("rails", "--output", self.folder / "rails.csv", "--sysfs", self.folder, "--", "true")
        self.assertEqual(call.returncode, 2)
        self.assertIn("no INA3221 with named rails", call.stderr)
        self.assertFalse((self.folder / "rails.csv").exists())


if __name__ == "__main__":
    unittest.main()
