"""The part in Rust."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, final

__version__: str

def simulate(
    arguments: dict[str, Any], progress: Callable[[int, int, int, int, int], object] | None
) -> dict[str, Any]: ...
def check(arguments: dict[str, Any]) -> str: ...
def convert(words: Sequence[str], safe: bool) -> dict[str, Any]: ...

class InputError(ValueError):
    """What was given is wrong. The text is the program's."""

    file: str | None
    line: int | None
    column: int | None

class Refused(RuntimeError):
    """The scheduler refuses a call. The text says why; nothing has changed."""

class SimulationWarning(UserWarning):
    """A simulation has an end that its figures alone do not show."""

@final
class Node:
    """A node."""

    @property
    def name(self) -> str: ...
    @property
    def rack(self) -> str: ...

@final
class App:
    """An application."""

    @property
    def number(self) -> int: ...
    @property
    def user(self) -> str: ...
    @property
    def queue(self) -> str:
        """The leaf queue that it entered."""
    @property
    def is_finished(self) -> bool: ...
    @property
    def waits_for_am(self) -> bool: ...

@final
class Container:
    """A container that an application got."""

    @property
    def name(self) -> str:
        """As Hadoop writes it."""
    @property
    def app(self) -> int:
        """The number of its application."""
    @property
    def node(self) -> str:
        """The name of its node."""
    @property
    def priority(self) -> int: ...
    @property
    def memory_mb(self) -> int: ...
    @property
    def vcores(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Ended:
    """A container that has ended, and why."""

    @property
    def container(self) -> Container: ...
    @property
    def reason(self) -> str:
        """completed, released, app-finished, node-lost, preempted or expired."""
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Stepped:
    """A scheduler without threads: each call is complete when it returns, and time moves by `advance` alone."""

    @classmethod
    def fair(
        cls, text: str | None = None, *, properties: Mapping[str, Any] | None = None, name: str = "fair-scheduler.xml"
    ) -> Stepped:
        """A FairScheduler. `text` is an allocation file's; without one there is root.default alone."""
    @classmethod
    def capacity(
        cls, text: str, *, properties: Mapping[str, Any] | None = None, name: str = "capacity-scheduler.xml"
    ) -> Stepped:
        """A CapacityScheduler. `text` is a capacity-scheduler.xml's."""
    @property
    def policy(self) -> str:
        """fair or capacity."""
    @property
    def now_ms(self) -> int:
        """Virtual time."""
    @property
    def warnings(self) -> list[str]:
        """What was to be said of the file."""
    def add_node(self, name: str, memory_mb: int, vcores: int, rack: str = "/default-rack") -> Node: ...
    def remove_node(self, node: Node) -> None: ...
    def resize_node(self, node: Node, memory_mb: int, vcores: int) -> None: ...
    def add_labels(self, names: Sequence[str], *, exclusive: bool = True) -> None:
        """Nodes of a label that is not exclusive are lent to asks that name no label."""
    def remove_labels(self, names: Sequence[str]) -> None: ...
    def set_node_labels(self, nodes: dict[str, str | None]) -> None:
        """Gives nodes, by name, another label, or none. They need not be there yet."""
    def submit(
        self,
        app: int,
        user: str,
        queue: str | None = None,
        *,
        am_memory_mb: int | None = None,
        am_vcores: int = 1,
        label: str | None = None,
        am_label: str | None = None,
    ) -> App: ...
    def ask(
        self,
        app: App,
        priority: int,
        count: int,
        memory_mb: int,
        vcores: int,
        where: str = "*",
        relax: bool = True,
        label: str | None = None,
    ) -> None: ...
    def allocate(
        self, app: App, release: Sequence[Container] | None = None
    ) -> tuple[list[Container], list[Ended]]: ...
    def headroom(self, app: App) -> tuple[int, int]: ...
    def heartbeat(
        self,
        node: Node,
        completed: Sequence[Container] | None = None,
        launched: Sequence[Container] | None = None,
    ) -> list[Container]: ...
    def offer_all(self) -> list[Container]: ...
    def finish(self, app: App) -> None: ...
    def move_app(self, app: App, queue: str) -> None: ...
    def advance(self, ms: int) -> None: ...
    def update(self) -> None: ...
    def preempt(self) -> int: ...
    def kill_due(self) -> None: ...
    def queues(self) -> list[dict[str, Any]]: ...
    def queues_by_label(self) -> list[dict[str, Any]]:
        """A dictionary for each queue and partition, the default one first; nothing of a FairScheduler."""
    def apps_by_label(self) -> list[dict[str, Any]]:
        """The same of applications."""
    def labels(self) -> list[dict[str, Any]]:
        """The labels by name, the default partition first, with an empty name. Nothing where labels are off."""
    def apps(self) -> list[dict[str, Any]]: ...
    def nodes(self) -> list[dict[str, Any]]: ...
    def containers(self) -> list[dict[str, Any]]: ...
    def stats(self) -> dict[str, Any]: ...
    def why(self, app: App) -> list[str]: ...
