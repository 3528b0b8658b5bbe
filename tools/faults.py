# SPDX-License-Identifier: GPL-2.0-or-later
"""Small faults in C code, as introduced by tools/mutate: one place, one change, the same number of lines."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    kind: str
    line: int  # from 1
    old: tuple  # lines
    new: tuple
    function: str = ""  # where a line alone says too little

    def put_into(self, lines):
        """The lines of the file with this fault."""
        at = self.line - 1
        assert tuple(lines[at:at + len(self.old)]) == self.old
        return lines[:at] + list(self.new) + lines[at + len(self.old):]

    def __str__(self):
        old, new = (" ".join(line.strip() for line in lines if line.strip()) for lines in (self.old, self.new))
        return f"{self.line}: {self.kind}: {self.function and self.function + '() '}- {old}  + {new}"


TEXT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|/\*.*?\*/|//[^\n]*', re.S)
COMPARISON = re.compile(r" (<=|>=|==|!=|<|>) ")
# Reversed, and with or without the limit itself.
OTHER = {"<": (">", "<="), "<=": (">=", "<"), ">": ("<", ">="), ">=": ("<=", ">"), "==": ("!=",), "!=": ("==",)}
NUMBER = re.compile(r"(?<![\w.])(0x[0-9a-fA-F]+|0|[1-9]\d*)(?=[uUlL]*(?![\w.]))")
LOGIC = re.compile(r" (&&|\|\|) ")
CONDITION = re.compile(r"^(\t+(?:\} else )?if \()(.*)(\)(?: \{)?)$")
ERROR = re.compile(r"^(\t+)if \((.* < 0)\)$")
STATEMENT = re.compile(r"^(\t+)([\w*(&][^{}]*\)|[\w.>\[\]*-]+ [-+|&]?= .*|[\w.>\[\]*-]+(?:\+\+|--));$")
# Excluded: there are separate kinds for control flow, and LeakSanitizer finds leaks.
NO_STATEMENT = re.compile(r"^\t+(?:return|break|continue|goto|case|if|for|while|do|else|static|const|struct)\b|"
                          r"^\t+(?:\w*_)?(?:free|close|done|unref|munmap|fclose|closedir)\(")
BEGINS_AFTER = re.compile(r"(^$|[;{}:]|\belse|^\t+(?:if|for|while) \(.*\))$")
INT_FUNCTION = re.compile(r"^(?:static |inline )*int (\w+)\(")
ARRAY = re.compile(r"^\t+(?:static |const |unsigned )*\w+ \**\w+\[")


def _plain(text):
    """Without comments and literals, every character at its offset."""
    return TEXT.sub(lambda match: re.sub(r"[^\n]", " " if match.group(0)[0] == "/" else "_", match.group(0)), text)


def _in_functions(plain):
    """(index of the line of "{", index of the line of "}") of each function."""
    begin = None
    for i, line in enumerate(plain):
        if line == "{":
            begin = i
        elif line == "}" and begin is not None:
            yield begin, i
            begin = None


def _is_balanced(text):
    depth = 0
    for char in text:
        depth += (char == "(") - (char == ")")
        if depth < 0:
            return False
    return depth == 0


def _int_function(plain, begin):
    """The name of the function whose body starts there, if it returns an int."""
    first = begin
    while first > 0 and plain[first - 1].strip() and plain[first - 1] not in ("}", "{"):
        first -= 1
    names = [match.group(1) for match in map(INT_FUNCTION.match, plain[first:begin]) if match]
    return names[0] if names else None


def _of_line(number, line, plain, before):
    """Faults of one line; @before is the previous line."""
    def replaced(kind, match, text):
        return Fault(kind, number, (line,), (line[:match.start(1)] + text + line[match.end(1):],))

    for match in COMPARISON.finditer(plain):
        for other in OTHER[match.group(1)]:
            yield replaced("comparison", match, other)
    for match in LOGIC.finditer(plain):
        yield replaced("logic", match, "||" if match.group(1) == "&&" else "&&")
    if not ARRAY.match(plain) and "{ 0 }" not in plain:
        for match in NUMBER.finditer(plain):
            yield replaced("constant", match, str(int(match.group(1), 0) + 1))
    match = CONDITION.match(plain)
    if match and _is_balanced(match.group(2)):
        end = match.end(2)
        yield Fault("negation", number, (line,), (match.group(1) + "!(" + line[match.start(2):end] + ")" + line[end:],))
    match = STATEMENT.match(plain)
    if match and not NO_STATEMENT.match(plain) and _is_balanced(plain) and BEGINS_AFTER.search(before):
        yield Fault("dropped", number, (line,), (match.group(1) + ";",))


def faults(text):
    """All faults that can be introduced in the text of a file."""
    lines, plain = text.split("\n"), _plain(text).split("\n")
    for begin, end in _in_functions(plain):
        name = _int_function(plain, begin)
        if name:
            yield Fault("success", begin + 1, ("{",), ("{ return 0;",), name)
        for i in range(begin + 1, end):
            if plain[i].startswith("#"):
                continue
            yield from _of_line(i + 1, lines[i], plain[i], plain[i - 1].rstrip())
            match = ERROR.match(plain[i])
            if match and re.match(r"\t+return\b.*;$", plain[i + 1]):
                yield Fault("ignored", i + 1, (lines[i], lines[i + 1]),
                            (f"{match.group(1)}(void)({lines[i][match.start(2):match.end(2)]});", ""))
