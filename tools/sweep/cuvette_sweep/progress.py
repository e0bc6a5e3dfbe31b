# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""A progress bar on standard error, on a terminal alone."""
import sys
import time

WIDTH = 30
EVERY = 0.1  # seconds between two drawings


class Progress:
    def __init__(self, total, stream=sys.stderr):
        self.total, self.stream = total, stream
        self.shown = stream.isatty()
        self.start = time.monotonic()
        self.last = 0.0
        self.ran = 0

    def update(self, finished, ran, failed):
        """`finished` of all points, `ran` of them in this call, `failed` of them."""
        now = time.monotonic()
        if not self.shown or (now - self.last < EVERY and finished < self.total):
            return
        self.last = now
        rate = ran / max(now - self.start, 1e-9)
        left = clock((self.total - finished) / rate) if ran else "-:--"
        done = WIDTH * finished // max(self.total, 1)
        bad = f", {failed} failed" if failed else ""
        self.stream.write(f"\r[{'#' * done}{'.' * (WIDTH - done)}] {finished}/{self.total}{bad}, {rate:.3g}/s, "
                          f"{left} left \x1b[K")
        self.stream.flush()

    def clear(self):
        """Takes the bar away: lines follow."""
        if self.shown:
            self.stream.write("\r\x1b[K")
            self.stream.flush()


def clock(seconds):
    seconds = int(seconds)
    hours, rest = divmod(seconds, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"
