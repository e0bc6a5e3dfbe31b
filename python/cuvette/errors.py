# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, one exception for each kind. All are Error; those that Python has a name for are that, too."""
from __future__ import annotations

import builtins
import re
from types import TracebackType
from typing import Any, Optional

from . import _native


class Error(Exception):
    """A call of the model that has failed. The text says what was expected and, for files, where."""


class ArgumentError(Error, ValueError):
    """A wrong value: an unknown engine or kernel, a number, size or type of arguments, a freed buffer."""


class DescriptionError(Error, ValueError):
    """No such machine description, one that does not hold, or a setting that it does not have."""


class OnceError(Error, RuntimeError):
    """A second machine of engine lt or ca in one process while one is open: SystemC has one simulation."""


class AccessError(Error):
    """A register or doorbell refused the access."""


class DeviceMemoryError(Error, builtins.MemoryError):
    """Device memory that is not mapped, not permitted or used up."""


class CallError(Error, RuntimeError):
    """A call that is not possible now, such as one inside a callback."""


class InternalError(Error, RuntimeError):
    """The simulation broke off; every later call of its device says so too."""


class Cancelled(Error):
    """Device.cancel() has ended the wait. The device stands still, and the next wait goes on from there."""


class Timeout(Error, builtins.TimeoutError):
    """What was waited for has not come within the cycles given. `report` says who waits for what."""

    def __init__(self, text: str, report: str = '') -> None:
        super().__init__(text)
        self.report = report


class Hang(Error):
    """A watchdog has ended the wait. `report` says who waits for what, `waves` is Device.waves() of that moment."""

    def __init__(self, text: str, report: str, waves: list[dict[str, Any]]) -> None:
        super().__init__(f'{text}\n{report}'.rstrip())
        self.report, self.waves = report, waves


class Fault(Error):
    """A packet or a wave has failed; the text says which instruction, where, and what it touched.

    `code` has the error bits of the queue (docs/reference/command_processor.md). Launches that the queue still had are
    lost; the device has a new queue and can be used."""

    def __init__(self, text: str, code: int) -> None:
        super().__init__(text)
        self.code = code


class CompileError(Error, ValueError):
    """HSAIL or OpenCL C that is wrong. `file`, `line` and `column` are the place of the first error; 0: not known."""

    def __init__(self, text: str, file: str = '', line: int = 0, column: int = 0) -> None:
        super().__init__(text)
        self.file, self.line, self.column = file, line, column


class RunError(Error):
    """The program `cuvette` is not there, or refused its input; the text is what it said."""


_BY_STATUS: dict[str, type[Error]] = {
    'CUVETTE_ERROR_ARGUMENT': ArgumentError,
    'CUVETTE_ERROR_DESCRIPTION': DescriptionError,
    'CUVETTE_ERROR_ONCE': OnceError,
    'CUVETTE_ERROR_ACCESS': AccessError,
    'CUVETTE_ERROR_MEMORY': DeviceMemoryError,
    'CUVETTE_ERROR_TIMEOUT': Timeout,
    'CUVETTE_ERROR_CALL': CallError,
    'CUVETTE_ERROR_INTERNAL': InternalError,
    'CUVETTE_ERROR_CANCELLED': Cancelled,
}


# A call of pybind11 whose arguments fit none of its functions. The first one given is the object.
_WRONG_TYPES = re.compile(r'^(?P<call>\w+)\(\): incompatible .*Invoked with: (?:<[^>]*>(?:, )?)?(?P<given>[^\n]*)', re.S)


class _Translated:
    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Optional[type[BaseException]], value: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        if value is None:
            return
        if kind is _native.CallFailed:
            raise exception_of(value) from None
        wrong = _WRONG_TYPES.search(str(value)) if kind is TypeError else None
        if wrong:
            raise ArgumentError(f'{wrong["call"]}({wrong["given"]}): a value of a wrong type or range') from None


_TRANSLATED = _Translated()


def translated() -> _Translated:
    """For `with`: failed calls of the block below become exceptions of this module."""
    return _TRANSLATED


def exception_of(failed: BaseException) -> Error:
    """The exception that stands for a failed call of the C interface."""
    status, text = failed.args
    return _BY_STATUS.get(status, Error)(text)
