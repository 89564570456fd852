"""What programs written with the Python client rely on. Run by python-client.test.ts, with the path of a
kubeconfig; prints one line of JSON per test."""

import json
import sys
import threading
import unittest

from kubernetes import client, config, dynamic, watch
from kubernetes.client.exceptions import ApiException

config.load_kube_config(sys.argv[1])
core = client.CoreV1Api()
apps = client.AppsV1Api()


def config_map(name, data=None, labels=None):
    metadata = client.V1ObjectMeta(name=name, labels=labels)
    return client.V1ConfigMap(metadata=metadata, data=data)


def deployment(name):
    labels = {"app": name}
    container = client.V1Container(name="c", image="nginx:1.25")
    side = client.V1Container(name="side", image="side:1")
    template = client.V1PodTemplateSpec(
        metadata=client.V1ObjectMeta(labels=labels),
        spec=client.V1PodSpec(containers=[container, side]),
    )
    spec = client.V1DeploymentSpec(
        replicas=2, selector=client.V1LabelSelector(match_labels=labels), template=template
    )
    return client.V1Deployment(metadata=client.V1ObjectMeta(name=name), spec=spec)


class PythonClient(unittest.TestCase):
    count = 0

    def setUp(self):
        PythonClient.count += 1
        self.ns = f"space-{PythonClient.count}"
        core.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=self.ns)))

    def refused(self, call, *args, **kwargs):
        with self.assertRaises(ApiException) as caught:
            call(*args, **kwargs)
        return caught.exception.status, json.loads(caught.exception.body)

    def test_creates_reads_replaces_and_deletes_a_config_map(self):
        made = core.create_namespaced_config_map(self.ns, config_map("cm", {"a": "1"}))
        self.assertEqual(made.data, {"a": "1"})
        self.assertIsNotNone(made.metadata.creation_timestamp.tzinfo)
        read = core.read_namespaced_config_map("cm", self.ns)
        self.assertEqual(read.metadata.uid, made.metadata.uid)
        read.data = {"a": "2"}
        replaced = core.replace_namespaced_config_map("cm", self.ns, read)
        self.assertEqual(replaced.data, {"a": "2"})
        gone = core.delete_namespaced_config_map("cm", self.ns)
        self.assertEqual(gone.status, "Success")
        self.assertEqual(core.list_namespaced_config_map(self.ns).items, [])

    def test_creates_a_deployment_and_a_pod_with_defaults(self):
        made = apps.create_namespaced_deployment(self.ns, deployment("web"))
        self.assertEqual(made.spec.strategy.rolling_update.max_surge, "25%")
        self.assertEqual(made.spec.template.spec.restart_policy, "Always")
        pod = client.V1Pod(
            metadata=client.V1ObjectMeta(name="p"),
            spec=client.V1PodSpec(containers=[client.V1Container(name="c", image="nginx")]),
        )
        self.assertEqual(core.create_namespaced_pod(self.ns, pod).status.phase, "Pending")
        self.assertEqual([p.metadata.name for p in core.list_namespaced_pod(self.ns).items], ["p"])

    def test_patches_strategically_with_a_dict(self):
        apps.create_namespaced_deployment(self.ns, deployment("web"))
        containers = [{"name": "side", "image": "side:2"}]
        body = {"spec": {"template": {"spec": {"containers": containers}}}}
        patched = apps.patch_namespaced_deployment("web", self.ns, body)
        images = [c.image for c in patched.spec.template.spec.containers]
        self.assertEqual(sorted(images), ["nginx:1.25", "side:2"])

    def test_patches_by_json_patch_with_a_list(self):
        core.create_namespaced_config_map(self.ns, config_map("cm", {"a": "1", "b": "2"}))
        body = [
            {"op": "replace", "path": "/data/a", "value": "9"},
            {"op": "remove", "path": "/data/b"},
        ]
        patched = core.patch_namespaced_config_map("cm", self.ns, body)
        self.assertEqual(patched.data, {"a": "9"})

    def test_lists_by_labels_fields_and_pages(self):
        for index, name in enumerate(["a", "b", "c"]):
            labels = {"parity": "even" if index % 2 == 0 else "odd"}
            core.create_namespaced_config_map(self.ns, config_map(name, labels=labels))

        def names(**options):
            found = core.list_namespaced_config_map(self.ns, **options)
            return [one.metadata.name for one in found.items]

        self.assertEqual(names(label_selector="parity=even"), ["a", "c"])
        self.assertEqual(names(field_selector="metadata.name=b"), ["b"])
        page = core.list_namespaced_config_map(self.ns, limit=2)
        self.assertEqual([one.metadata.name for one in page.items], ["a", "b"])
        self.assertEqual(names(limit=2, _continue=page.metadata._continue), ["c"])

    def test_is_told_why_it_was_refused(self):
        core.create_namespaced_config_map(self.ns, config_map("cm"))
        code, status = self.refused(core.create_namespaced_config_map, self.ns, config_map("cm"))
        self.assertEqual((code, status["reason"]), (409, "AlreadyExists"))
        code, status = self.refused(core.read_namespaced_config_map, "nope", self.ns)
        self.assertEqual((code, status["message"]), (404, 'configmaps "nope" not found'))
        code, status = self.refused(
            core.create_namespaced_config_map, self.ns, config_map("cm2", {"a/b": "1"})
        )
        self.assertEqual((code, status["details"]["causes"][0]["field"]), (422, "data[a/b]"))
        body = [{"op": "test", "path": "/data/x", "value": "1"}]
        code, status = self.refused(core.patch_namespaced_config_map, "cm", self.ns, body)
        self.assertEqual((code, status["reason"]), (422, "Invalid"))

    def test_watches_changes_from_a_resource_version_on(self):
        start = core.list_namespaced_config_map(self.ns).metadata.resource_version

        def change():
            core.create_namespaced_config_map(self.ns, config_map("cm", {"a": "1"}))
            core.patch_namespaced_config_map("cm", self.ns, {"data": {"a": "2"}})
            core.delete_namespaced_config_map("cm", self.ns)

        changing = threading.Thread(target=change)
        changing.start()
        seen = []
        watching = watch.Watch()
        for event in watching.stream(
            core.list_namespaced_config_map, self.ns, resource_version=start, timeout_seconds=60
        ):
            seen.append((event["type"], event["object"].data["a"]))
            if event["type"] == "DELETED":
                watching.stop()
        changing.join()
        self.assertEqual(seen, [("ADDED", "1"), ("MODIFIED", "2"), ("DELETED", "2")])

    def test_ends_a_watch_after_its_timeout(self):
        core.create_namespaced_config_map(self.ns, config_map("cm"))
        stream = watch.Watch().stream(
            core.list_namespaced_config_map, self.ns, timeout_seconds=1
        )
        self.assertEqual([event["type"] for event in stream], ["ADDED"])

    def test_is_told_when_a_resource_version_is_nonsense(self):
        stream = watch.Watch().stream(
            core.list_namespaced_config_map, self.ns, resource_version="x", timeout_seconds=5
        )
        code, status = self.refused(lambda: list(stream))
        self.assertEqual(code, 500)
        self.assertIn('Invalid value: "x"', status["message"])

    def test_works_on_any_kind_dynamically(self):
        kinds = dynamic.DynamicClient(client.ApiClient())
        maps = kinds.resources.get(api_version="v1", kind="ConfigMap")
        body = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "cm"},
            "data": {"a": "1"},
        }
        made = maps.create(body=body, namespace=self.ns)
        self.assertEqual(made.data.a, "1")
        patched = maps.patch(
            name="cm",
            namespace=self.ns,
            body={"data": {"a": "2"}},
            content_type="application/merge-patch+json",
        )
        self.assertEqual(patched.data.a, "2")
        body["data"] = {"b": "1"}
        # This version of the client sends only text as YAML.
        applied = maps.server_side_apply(
            name="cm", namespace=self.ns, body=json.dumps(body), field_manager="tests"
        )
        self.assertEqual((applied.data.a, applied.data.b), ("2", "1"))
        listed = maps.get(namespace=self.ns)
        self.assertEqual([one.metadata.name for one in listed.items], ["cm"])
        deployments = kinds.resources.get(api_version="apps/v1", kind="Deployment")
        self.assertEqual(deployments.get(namespace=self.ns).items, [])
        events = maps.watch(namespace=self.ns, timeout=1)
        self.assertEqual([event["type"] for event in events], ["ADDED"])
        maps.delete(name="cm", namespace=self.ns)
        with self.assertRaises(dynamic.exceptions.NotFoundError):
            maps.get(name="cm", namespace=self.ns)

    def test_asks_for_versions_and_groups(self):
        self.assertEqual(client.VersionApi().get_code().major, "1")
        groups = [group.name for group in client.ApisApi().get_api_versions().groups]
        self.assertIn("apps", groups)
        self.assertIn("v1", client.CoreApi().get_api_versions().versions)


class Lines(unittest.TestResult):
    def say(self, test, error=None):
        name = test._testMethodName.removeprefix("test_").replace("_", " ")
        print(json.dumps({"name": name, "error": error}), flush=True)

    def addSuccess(self, test):
        self.say(test)

    def addError(self, test, err):
        self.say(test, self._exc_info_to_string(err, test))

    addFailure = addError


unittest.defaultTestLoader.loadTestsFromTestCase(PythonClient).run(Lines())
