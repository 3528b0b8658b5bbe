# SPDX-License-Identifier: GPL-2.0-or-later
"""Questions: what one command claims about one kind of fact.

A question returns the claim, or None where the command says that it does not know; whether the
recording has to know is stated with @question.
"""

NS_PER_MS = 1000000


class Question:
    """One command, asked about one kind of fact."""

    def __init__(self, fact, needs, ask, fits, only=False):
        self.fact = fact
        self.needs = frozenset(needs.split())
        self.only = only  # not asked where the way does not see what it needs
        self.ask = ask
        self.fits = fits
        self.name = ask.__name__.replace("_", "-")

    def is_asked(self, recording, fact):
        """Whether the question is about this fact, and applies to such a recording."""
        return self.fact == fact["fact"] and (not self.only or self.needs <= recording.way.sees)

    def check(self, recording, fact):
        """None if the claim is true, otherwise what is wrong with it."""
        claim = self.ask(recording, fact)
        if claim is None:
            return None if not self.needs <= recording.way.sees else "says that it does not know"
        if recording.way.lossy and self.fact == "calls":
            return None if claim <= fact.get("count", claim) else f"{claim} is more than there were"
        return None if self.fits(claim, fact) else f"says {claim}"


QUESTIONS = []


def question(fact, needs, fits, only=False):
    """Registers the function as a question about facts of this kind."""
    def register(ask):
        QUESTIONS.append(Question(fact, needs, ask, fits, only))
        return ask
    return register


def number(claim, fact):
    """A count: exactly this many, or between two numbers."""
    if "count" in fact:
        return claim == fact["count"]
    return fact.get("at_least", 0) <= claim <= fact.get("at_most", claim)


def named(rows, name, key="name"):
    """The first row of this name, or None."""
    return next((row for row in rows if row[key] == name), None)


# Facts that state everything by existing: nothing in them can be falsified.
BARE = {"no_signals", "lost", "inside", "working"}


def falsified(fact):
    """The fact in several false versions: in each, another of its fields is wrong."""
    for key, value in fact.items():
        if key in ("fact", "pid"):
            continue
        wrong = "nosuch" if isinstance(value, str) else value + 1 if key == "count" else 3 * value + 10**10
        yield {**fact, key: wrong}
