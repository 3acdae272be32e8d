"""Work in the order of its needs, and side by side where nothing stands between."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

Item = TypeVar("Item", bound=Hashable)
Result = TypeVar("Result")

WATCH_SECONDS = 0.2


def work_through(
    needs: Mapping[Item, Collection[Item]],
    work: Callable[[Item, int], Result],
    *,
    places: int,
    began: Callable[[Item], None],
    finished: Callable[[Item, Result], None],
    interrupt: Callable[[], None],
) -> dict[Item, Result]:
    """Do every item once, after everything it needs, and return the results in the order of ``needs``.

    ``work(item, place)`` runs in a thread; a place (0 to ``places`` - 1) has one item at a time. Of the items that are
    ready, those go first that most others wait for. ``began`` and ``finished`` run in the caller's thread.

    When an item fails, one of these two raises or the caller is interrupted, nothing is begun any more, ``interrupt``
    is called until the items at work have ended, and the first error goes on to the caller.

    Raises:
        ValueError: some items need each other in a circle.
    """
    weights = _weights(needs)
    order = {item: number for number, item in enumerate(sorted(needs, key=lambda item: -weights[item]))}
    waiting = {item: {need for need in needs[item] if need in needs} for item in order}
    free, running, results = list(range(places)), dict[Future[Result], tuple[Item, int]](), dict[Item, Result]()
    with ThreadPoolExecutor(max_workers=places, thread_name_prefix="work") as threads:
        try:
            while waiting or running:
                ready = [item for item, open_needs in waiting.items() if not open_needs]
                if not ready and not running:
                    raise ValueError(f"{len(waiting)} items need each other in a circle")
                for item in ready[: len(free)]:
                    del waiting[item]
                    began(item)
                    place = free.pop()
                    running[threads.submit(work, item, place)] = (item, place)
                done = wait(running, WATCH_SECONDS, return_when=FIRST_COMPLETED).done
                for future in sorted(done, key=lambda future: order[running[future][0]]):
                    item, place = running.pop(future)
                    results[item] = future.result()
                    free.append(place)
                    for open_needs in waiting.values():
                        open_needs.discard(item)
                    finished(item, results[item])
        except BaseException:
            while wait(running, WATCH_SECONDS).not_done:
                interrupt()
            raise
    return {item: results[item] for item in needs}


def _weights(needs: Mapping[Item, Collection[Item]]) -> dict[Item, int]:
    """How many items wait for each, directly or not."""
    waiting: dict[Item, set[Item]] = {item: set() for item in needs}
    for item in needs:
        behind, open_ends = set[Item](), [item]
        while open_ends:
            for need in needs[open_ends.pop()]:
                if need in needs and need not in behind:
                    behind.add(need)
                    open_ends.append(need)
        for need in behind:
            waiting[need].add(item)
    return {item: len(others) for item, others in waiting.items()}
