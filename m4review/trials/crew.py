"""Jobs side by side in threads, while everything they report is heard in the caller's thread."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

LOOK_SECONDS = 0.1
"""How often the wish to stop is looked at while nothing is reported."""

Job = TypeVar("Job")
Event = TypeVar("Event")
Result = TypeVar("Result")


class Crew(Generic[Job, Event, Result]):
    """Does ``jobs`` with ``do``, at most ``size`` at a time and begun in their order.

    ``do`` gets a job, a function that reports events, and an event that is set when it should end early.
    """

    def __init__(
        self,
        do: Callable[[Job, Callable[[Event], None], threading.Event], Result],
        *,
        size: int,
        hear: Callable[[Event], None],
        cancel: threading.Event,
    ) -> None:
        self._do = do
        self._size = size
        self._hear = hear
        self._cancel = cancel
        self._stop = threading.Event()
        self._news: queue.SimpleQueue[Event | Future[Result]] = queue.SimpleQueue()

    def work(self, jobs: Iterable[Job], done: Callable[[Job, Result], bool]) -> None:
        """Do the jobs; ``done`` hears of each result in this thread and says whether further jobs are begun.

        When ``cancel`` is set no further job begins and those under way are asked to end. The first exception of a
        job, of ``hear`` or of ``done`` does the same and is raised when all have ended.
        """
        waiting = deque(jobs)
        running: dict[Future[Result], Job] = {}
        trouble: BaseException | None = None
        with ThreadPoolExecutor(self._size, thread_name_prefix="run") as pool:
            while waiting or running:
                if self._cancel.is_set() or trouble is not None:
                    self._stop.set()
                    waiting.clear()
                while waiting and len(running) < self._size:
                    job = waiting.popleft()
                    future = pool.submit(self._do, job, self._news.put, self._stop)
                    running[future] = job
                    future.add_done_callback(self._news.put)
                if not running:
                    break
                try:
                    news = self._news.get(timeout=LOOK_SECONDS)
                except queue.Empty:
                    continue
                try:
                    if not isinstance(news, Future):
                        if trouble is None:
                            self._hear(news)
                    elif not done(running.pop(news), news.result()):
                        waiting.clear()
                except BaseException as error:  # noqa: BLE001 - raised below, once nothing is under way any more
                    trouble = trouble or error
        if trouble is not None:
            raise trouble
