"""Schedulers to step through."""

import gc
import threading

import pytest

import evenweave
from evenweave import InputError, Refused, Stepped

QUEUES = """<allocations>
  <queue name="a"><weight>1</weight></queue>
  <queue name="b"><weight>3</weight></queue>
</allocations>
"""
CAPACITIES = """<configuration>
  <property><name>yarn.scheduler.capacity.root.queues</name><value>a,b</value></property>
  <property><name>yarn.scheduler.capacity.root.a.capacity</name><value>25</value></property>
  <property><name>yarn.scheduler.capacity.root.b.capacity</name><value>75</value></property>
  <property><name>yarn.scheduler.capacity.root.a.user-limit-factor</name><value>4</value></property>
  <property><name>yarn.scheduler.capacity.root.b.user-limit-factor</name><value>4</value></property>
</configuration>
"""


@pytest.fixture(params=["fair", "capacity"])
def stepped(request):
    return Stepped.fair(QUEUES) if request.param == "fair" else Stepped.capacity(CAPACITIES)


def test_a_loop_of_heartbeats(stepped):
    nodes = [stepped.add_node(f"n{i}", 8192, 8, rack=f"/r{i % 2}") for i in range(4)]
    apps = [stepped.submit(number, "ann", f"root.{queue}") for number, queue in ((1, "a"), (2, "b"))]
    for app in apps:
        stepped.ask(app, 1, 40, 1024, 1)
    running = {node.name: [] for node in nodes}
    done = {1: 0, 2: 0}
    got = set()
    for _ in range(30):
        stepped.advance(1000)
        stepped.update()
        for node in nodes:
            ended = running[node.name]
            running[node.name] = stepped.heartbeat(node, completed=ended)
            for container in ended:
                done[container.app] += 1
            for container in running[node.name]:
                assert container.node == node.name and (container.memory_mb, container.vcores) == (1024, 1)
                assert container not in got
                got.add(container)
    assert done == {1: 40, 2: 40} and len(got) == 80
    assert stepped.now_ms == 30_000
    for app in apps:
        granted, ended = stepped.allocate(app)
        assert {one.container for one in ended} == set(granted) and len(granted) == 40
        assert {one.reason for one in ended} == {"completed"}
        assert stepped.allocate(app) == ([], [])
        stepped.finish(app)
    stats = stepped.stats()
    assert (stats["granted"], stats["completed"], stats["running"]) == (80, 80, 0)
    assert [node["free_memory_mb"] for node in stepped.nodes()] == [8192] * 4


def test_shares_are_those_of_the_weights():
    stepped = Stepped.fair(QUEUES)
    node = stepped.add_node("n1", 16 * 1024, 16)
    for number, queue in ((1, "a"), (2, "b")):
        stepped.ask(stepped.submit(number, "ann", queue), 1, 100, 1024, 1)
    stepped.update()
    # Without assignmultiple a heartbeat gives one container.
    order = [container.app for _ in range(16) for container in stepped.heartbeat(node)]
    assert len(order) == 16 and order.count(1) == 4
    queues = {queue["name"]: queue for queue in stepped.queues()}
    assert queues["root.b"]["fair_share_memory_mb"] == 12 * 1024
    assert queues["root.b"]["usage_memory_mb"] == 12 * 1024 and queues["root.a"]["usage_vcores"] == 4
    assert queues["root"]["max_share_memory_mb"] > 0 and queues["root.a"]["weight"] == 1.0
    assert {app["app"]: app["usage_memory_mb"] for app in stepped.apps()} == {1: 4096, 2: 12288}


def test_several_containers_of_one_heartbeat_come_by_application():
    multiple = {"yarn.scheduler.fair.assignmultiple": True, "yarn.scheduler.fair.dynamic.max.assign": False}
    stepped = Stepped.fair(QUEUES, properties=multiple)
    node = stepped.add_node("n1", 8192, 8)
    apps = [stepped.submit(number, "ann", queue) for number, queue in ((1, "a"), (2, "b"))]
    for app in apps:
        stepped.ask(app, 1, 8, 1024, 1)
    stepped.update()
    together = [(container.app, container.name) for container in stepped.heartbeat(node)]
    # One at a time they come the same way.
    other = Stepped.fair(QUEUES)
    node = other.add_node("n1", 8192, 8)
    for number, queue in ((1, "a"), (2, "b")):
        other.ask(other.submit(number, "ann", queue), 1, 8, 1024, 1)
    other.update()
    single = [(container.app, container.name) for _ in range(8) for container in other.heartbeat(node)]
    assert len(single) == 8 and single != sorted(single)
    first = {app: place for place, (app, _) in reversed(list(enumerate(single)))}
    assert together == sorted(single, key=lambda one: first[one[0]])


def test_an_am_comes_first(stepped):
    node = stepped.add_node("n1", 8192, 8)
    app = stepped.submit(1, "ann", "root.a", am_memory_mb=512)
    assert app.waits_for_am and app.queue == "root.a" and app.user == "ann" and app.number == 1
    with pytest.raises(Refused, match="the ApplicationMaster of application 1 has no container yet"):
        stepped.ask(app, 1, 1, 1024, 1)
    stepped.update()
    [am] = stepped.heartbeat(node)
    assert am.memory_mb >= 512 and not app.waits_for_am
    stepped.ask(app, 1, 1, 1024, 1)
    stepped.update()
    [task] = stepped.heartbeat(node)
    granted, ended = stepped.allocate(app, release=[task])
    assert granted == [am, task]
    assert [(one.container, one.reason) for one in ended] == [(task, "released")]


def test_places(stepped):
    near = stepped.add_node("near", 4096, 4, rack="/r1")
    far = stepped.add_node("far", 4096, 4, rack="/r2")
    app = stepped.submit(1, "ann", "root.a")
    stepped.ask(app, 1, 2, 1024, 1, where="near")
    stepped.ask(app, 1, 2, 1024, 1, where="/r1", relax=False)
    stepped.ask(app, 1, 2, 1024, 1, relax=False)
    stepped.update()
    assert stepped.heartbeat(far) == []
    assert any("far" in text or "near" in text for text in stepped.why(app))
    assert len([c for _ in range(3) for c in stepped.heartbeat(near)]) == 2


def test_a_lost_node_ends_its_containers(stepped):
    node = stepped.add_node("n1", 4096, 4)
    app = stepped.submit(1, "ann", "root.a")
    stepped.ask(app, 1, 1, 1024, 1)
    stepped.update()
    [container] = stepped.heartbeat(node)
    stepped.remove_node(node)
    _, ended = stepped.allocate(app)
    assert [(one.container, one.reason) for one in ended] == [(container, "node-lost")]
    with pytest.raises(Refused, match="n1"):
        stepped.heartbeat(node)
    with pytest.raises(Refused):
        stepped.remove_node(node)


def test_launched_containers_do_not_expire(stepped):
    node = stepped.add_node("n1", 4096, 4)
    app = stepped.submit(1, "ann", "root.a")
    stepped.ask(app, 1, 2, 1024, 1)
    stepped.update()
    first = [c for _ in range(2) for c in stepped.heartbeat(node)]
    assert len(first) == 2
    # The first is reported by the second heartbeat, the other by none.
    for _ in range(40):
        stepped.advance(60_000)
    _, ended = stepped.allocate(app)
    assert [(one.container, one.reason) for one in ended] == [(first[1], "expired")]


def test_preemption_takes_from_who_has_too_much():
    text = """<allocations>
      <queue name="a"/>
      <queue name="b">
        <minResources>4096 mb, 4 vcores</minResources>
        <minSharePreemptionTimeout>1</minSharePreemptionTimeout>
      </queue>
    </allocations>"""
    properties = {
        "yarn.scheduler.fair.preemption": True,
        "yarn.scheduler.fair.preemption.cluster-utilization-threshold": 0,
        "yarn.scheduler.fair.waitTimeBeforeKill": 1000,
    }
    stepped = Stepped.fair(text, properties=properties)
    node = stepped.add_node("n1", 4096, 4)
    a = stepped.submit(1, "ann", "root.a")
    stepped.ask(a, 1, 4, 1024, 1)
    stepped.update()
    assert len([c for _ in range(4) for c in stepped.heartbeat(node)]) == 4
    b = stepped.submit(2, "bob", "root.b")
    stepped.ask(b, 1, 4, 1024, 1)
    marked = 0
    for _ in range(10):
        stepped.advance(2000)
        stepped.update()
        marked += stepped.preempt()
        stepped.kill_due()
        stepped.heartbeat(node)
    assert marked > 0
    _, ended = stepped.allocate(a)
    assert ended and {one.reason for one in ended} == {"preempted"}


def test_refused_calls_say_why(stepped):
    node = stepped.add_node("n1", 4096, 4)
    app = stepped.submit(1, "ann", "root.a")
    for call, said in [
        (lambda: stepped.add_node("n1", 1, 1), "n1"),
        (lambda: stepped.add_node("n2", -1, 1), ""),
        (lambda: stepped.add_node("n2", 2**63 - 1, 1), ""),
        (lambda: stepped.submit(1, "ann", "root.a"), "1"),
        (lambda: stepped.submit(2, "ann", "root.a.b.c.." ), ""),
        (lambda: stepped.ask(app, 1, 1, 2**40, 1), ""),
        (lambda: stepped.ask(app, 1, 1, -5, 1), ""),
        (lambda: stepped.move_app(app, "root.nowhere.x"), "nowhere"),
    ]:
        with pytest.raises(Refused) as raised:
            call()
        assert isinstance(raised.value, RuntimeError) and said in str(raised.value) and str(raised.value)
    stepped.finish(app)
    assert app.is_finished
    for call in (lambda: stepped.finish(app), lambda: stepped.ask(app, 1, 1, 1, 1), lambda: stepped.allocate(app)):
        with pytest.raises(Refused):
            call()
    assert stepped.heartbeat(node) == []


def test_what_belongs_to_another_scheduler_is_refused(stepped):
    other = Stepped.fair(QUEUES)
    node, app = other.add_node("n1", 4096, 4), other.submit(1, "ann", "root.a")
    other.ask(app, 1, 1, 1024, 1)
    other.update()
    [container] = other.heartbeat(node)
    mine, own = stepped.add_node("n1", 4096, 4), stepped.submit(1, "ann", "root.a")
    for call in (
        lambda: stepped.heartbeat(node),
        lambda: stepped.allocate(app),
        lambda: stepped.why(app),
        lambda: stepped.heartbeat(mine, completed=[container]),
        lambda: stepped.allocate(own, release=[container]),
    ):
        with pytest.raises(Refused, match="belongs to another scheduler"):
            call()


def test_wrong_types_and_numbers_are_refused(stepped):
    node = stepped.add_node("n1", 4096, 4)
    app = stepped.submit(1, "ann", "root.a")
    for call in (
        lambda: stepped.add_node(1, 1, 1),
        lambda: stepped.add_node("n2", "1", 1),
        lambda: stepped.submit("1", "ann"),
        lambda: stepped.heartbeat(app),
        lambda: stepped.heartbeat(node, completed=[1]),
        lambda: stepped.heartbeat(node, completed=5),
        lambda: stepped.ask(node, 1, 1, 1, 1),
        lambda: stepped.advance("1"),
        lambda: Stepped(),
        lambda: Stepped.fair(5),
        lambda: Stepped.capacity(None),
        lambda: Stepped.fair(properties=[1]),
    ):
        with pytest.raises(TypeError):
            call()
    for call in (
        lambda: stepped.add_node("n2", 2**70, 1),
        lambda: stepped.submit(-1, "ann"),
        lambda: stepped.submit(2**32, "ann"),
        lambda: stepped.ask(app, 1, -1, 1, 1),
        lambda: stepped.ask(app, 2**31, 1, 1, 1),
        lambda: stepped.advance(-1),
    ):
        with pytest.raises(OverflowError):
            call()
    stepped.advance(2**62)
    with pytest.raises(ValueError, match="end of time"):
        stepped.advance(2**63)
    assert stepped.now_ms == 2**62
    # A NUL byte is no end of a text.
    with pytest.raises(Refused, match="control characters"):
        stepped.add_node("n2\0x", 1024, 1)


def test_files_that_are_wrong_have_a_place():
    with pytest.raises(evenweave.InputError) as raised:
        Stepped.fair("<allocations>\n<queue name='a'><weight>x</weight></queue></allocations>")
    assert (raised.value.file, raised.value.line) == ("fair-scheduler.xml", 2)
    with pytest.raises(evenweave.InputError) as raised:
        Stepped.capacity(CAPACITIES.replace("25", "ten"), name="mine.xml")
    assert (raised.value.file, raised.value.line) == ("mine.xml", 3)
    with pytest.raises(evenweave.InputError):
        Stepped.fair("", name="x")
    with pytest.raises(evenweave.InputError, match="yarn.scheduler.fair.max.assign"):
        Stepped.fair(properties={"yarn.scheduler.fair.max.assign": "x"})
    assert Stepped.fair("<allocations><odd/></allocations>").warnings


def test_handles_are_small_values(stepped):
    node = stepped.add_node("n1", 4096, 4)
    app = stepped.submit(1, "ann", "root.a")
    stepped.ask(app, 1, 1, 1024, 1)
    stepped.update()
    [container] = stepped.heartbeat(node)
    again, _ = stepped.allocate(app)
    assert again == [container] and hash(again[0]) == hash(container) and again[0] != "x"
    assert (container.name, container.app, container.priority) == ("container_1_0001_01_000001", 1, 1)
    assert repr(container) == "<Container container_1_0001_01_000001 on n1, 1024 MiB, 1 vcores>"
    assert repr(node) == "<Node n1 in /default-rack>" and repr(app) == "<App 1 of ann in root.a>"
    assert [one["name"] for one in stepped.containers()] == [container.name]
    with pytest.raises(AttributeError):
        container.app = 2
    assert stepped.headroom(app)[0] > 0
    assert stepped.policy in repr(stepped)


def test_threads_call_one_after_the_other(stepped):
    """Calls of several threads do not mix: the books are right."""
    nodes = [stepped.add_node(f"n{i}", 8192, 8) for i in range(4)]
    apps = [stepped.submit(number, "ann", "root.b") for number in range(1, 5)]
    got, failed = [], []

    def play(node, app):
        try:
            running = []
            stepped.ask(app, 1, 200, 1024, 1)
            for _ in range(300):
                stepped.update()
                running = stepped.heartbeat(node, completed=running)
                got.extend(running)
                stepped.advance(1)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=play, args=pair) for pair in zip(nodes, apps)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert len(got) == len(set(got)) == stepped.stats()["granted"]
    assert stepped.now_ms == 4 * 300
    box = [stepped]
    del stepped
    # It may go on another thread than the one that made it.
    thread = threading.Thread(target=lambda: (box.clear(), gc.collect()))
    thread.start()
    thread.join()


LABELLED = CAPACITIES.replace(
    "</configuration>",
    """<property><name>yarn.scheduler.capacity.root.a.accessible-node-labels</name><value>gpu,spare</value></property>
  <property><name>yarn.scheduler.capacity.root.a.accessible-node-labels.gpu.capacity</name><value>100</value></property>
  <property><name>yarn.scheduler.capacity.root.b.accessible-node-labels</name><value> </value></property>
</configuration>""",
)
LABELS_ON = {"yarn.node-labels.enabled": True}


def test_nodes_with_labels():
    stepped = Stepped.capacity(LABELLED, properties=LABELS_ON)
    stepped.add_labels(["gpu"])
    stepped.set_node_labels({"g1": "gpu"})  # before it comes
    plain, gpu = stepped.add_node("n1", 4096, 4), stepped.add_node("g1", 8192, 8)
    assert [(node["name"], node["label"]) for node in stepped.nodes()] == [("n1", ""), ("g1", "gpu")]
    labels = [(label["name"], label["exclusive"], label["nodes"], label["total_memory_mb"]) for label in stepped.labels()]
    assert labels == [("", True, 1, 4096), ("gpu", True, 1, 8192)]
    # By its submission, and by the ask alone.
    first = stepped.submit(1, "ann", "root.a", label="gpu")
    stepped.ask(first, 1, 2, 1024, 1)
    second = stepped.submit(2, "bob", "root.a", am_memory_mb=1024, am_label="gpu")
    assert [container.app for container in stepped.heartbeat(gpu)][:1] == [1]
    while second.waits_for_am or len(stepped.containers()) < 3:
        stepped.heartbeat(gpu)
    assert {container["node"] for container in stepped.containers()} == {"g1"}
    stepped.ask(second, 1, 1, 1024, 1, label="gpu")
    stepped.ask(second, 2, 1, 1024, 1, label="")
    assert [(one.app, one.priority) for one in stepped.heartbeat(plain)] == [(2, 2)]
    assert [(one.app, one.priority) for one in stepped.heartbeat(gpu)] == [(2, 1)]
    queues = {(queue["name"], queue["label"]): queue for queue in stepped.queues_by_label()}
    assert queues["root.a", "gpu"]["usage_memory_mb"] == 4096 and queues["root.a", ""]["usage_memory_mb"] == 1024
    assert queues["root.a", "gpu"]["guaranteed_memory_mb"] == 8192 and queues["root.a", "gpu"]["capacity"] == 1.0
    assert queues["root", "gpu"]["usage_memory_mb"] == 4096
    apps = {(app["app"], app["label"]): app["usage_memory_mb"] for app in stepped.apps_by_label()}
    assert apps[1, "gpu"] == 2048 and apps[2, "gpu"] == 2048 and apps[2, ""] == 1024
    # What runs goes along.
    stepped.set_node_labels({"g1": None})
    queues = {(queue["name"], queue["label"]): queue for queue in stepped.queues_by_label()}
    assert queues["root.a", ""]["usage_memory_mb"] == 5120 and queues["root.a", "gpu"]["usage_memory_mb"] == 0


def test_nodes_of_a_shared_label_are_lent():
    stepped = Stepped.capacity(LABELLED, properties=LABELS_ON)
    stepped.add_labels(["spare"], exclusive=False)
    node = stepped.add_node("s1", 4096, 4)
    stepped.set_node_labels({"s1": "spare"})
    stepped.ask(stepped.submit(1, "ann", "root.b"), 1, 1, 1024, 1)
    got = [container for _ in range(4) for container in stepped.heartbeat(node)]
    assert [container.node for container in got] == ["s1"]


def test_labels_that_cannot_be():
    stepped = Stepped.capacity(LABELLED, properties=LABELS_ON)
    stepped.add_labels(["gpu"])
    app = stepped.submit(1, "ann", "root.b")
    for call, why in (
        (lambda: stepped.add_labels(["gpu"], exclusive=False), "exclusivity"),
        (lambda: stepped.add_labels(["a b"]), "label name should only contains"),
        (lambda: stepped.remove_labels(["gpu"]), "root.a"),
        (lambda: stepped.set_node_labels({"n1": "none"}), "none"),
        (lambda: stepped.ask(app, 1, 1, 1024, 1, label="gpu"), "gpu"),
        (lambda: stepped.submit(2, "ann", "root.b", am_memory_mb=1024, label="gpu"), "gpu"),
    ):
        with pytest.raises(Refused, match=why):
            call()
    with pytest.raises(InputError, match="give am_memory_mb too"):
        stepped.submit(3, "ann", "root.b", am_label="gpu")
    for call in (
        lambda: stepped.add_labels("gpu"),
        lambda: stepped.add_labels([1]),
        lambda: stepped.set_node_labels(["n1"]),
        lambda: stepped.set_node_labels({"n1": 1}),
        lambda: stepped.ask(app, 1, 1, 1024, 1, label=1),
    ):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(evenweave.InputError, match="node labels"):
        Stepped.capacity(LABELLED)
    fair = Stepped.fair(QUEUES)
    assert fair.labels() == fair.queues_by_label() == fair.apps_by_label() == []
    with pytest.raises(Refused):
        fair.add_labels(["gpu"])
    off = Stepped.capacity(CAPACITIES)
    assert off.labels() == []
    with pytest.raises(Refused):
        off.add_labels(["gpu"])
