import { describe } from "node:test";
import { judges } from "./testing/case-table.ts";
import { containerErrors, podErrors } from "./testing/judged.ts";

describe("Resources of a container", () => {
  judges(
    {
      "may be asked for and limited": [
        { requests: { cpu: "100m", memory: "1Gi" }, limits: { cpu: "1", "a.b/gpu": "1" } },
        [],
      ],
      "have names that are known or belong to somebody": [
        { limits: { disk: "1", "a b": "1", "requests.x/y": "1", pods: "1" } },
        [
          "resources.limits[a b]: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
          'resources.limits[a b]: Invalid value: "a b": must be a standard resource for containers',
          'resources.limits[disk]: Invalid value: "disk": must be a standard resource type or fully qualified',
          'resources.limits[disk]: Invalid value: "disk": must be a standard resource for containers',
          'resources.limits[pods]: Invalid value: "pods": must be a standard resource for containers',
          'resources.limits[requests.x/y]: Invalid value: "requests.x/y": doesn\'t follow extended resource name standard',
          "resources.requests[a b]: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
          'resources.requests[a b]: Invalid value: "a b": must be a standard resource for containers',
          'resources.requests[disk]: Invalid value: "disk": must be a standard resource type or fully qualified',
          'resources.requests[disk]: Invalid value: "disk": must be a standard resource for containers',
          'resources.requests[pods]: Invalid value: "pods": must be a standard resource for containers',
          'resources.requests[requests.x/y]: Invalid value: "requests.x/y": doesn\'t follow extended resource name standard',
        ],
      ],
      "are not negative": [
        { requests: { cpu: "-1" } },
        ['resources.requests[cpu]: Invalid value: "-1": must be greater than or equal to 0'],
      ],
      "are within their limits": [
        { requests: { cpu: "2" }, limits: { cpu: "1500m" } },
        [
          'resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1500m',
        ],
      ],
      "that cannot be promised twice are asked for exactly, and whole": [
        { requests: { "a.b/gpu": "1" }, limits: { "a.b/gpu": "2500m" } },
        [
          'resources.limits[a.b/gpu]: Invalid value: "2500m": must be an integer',
          'resources.requests: Invalid value: "1": must be equal to a.b/gpu limit of 2500m',
        ],
      ],
      "that cannot be promised twice have a limit": [
        { requests: { "a.b/gpu": "1" } },
        ["resources.limits: Required value: Limit must be set for non overcommitable resources"],
      ],
      "of large pages are whole pages, and come with others": [
        { limits: { "hugepages-2Mi": "3Mi" } },
        [
          'resources.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
          'resources.requests[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
          "resources: Forbidden: HugePages require cpu or memory",
        ],
      ],
      "refer to claims of the pod": [
        { claims: [{ name: "a" }, { name: "a" }, { name: "" }] },
        [
          'resources.claims[0]: Not found: "a": must be one of the names in pod.spec.resourceClaims which is empty',
          'resources.claims[1]: Duplicate value: "a"',
          'resources.claims[1]: Not found: "a": must be one of the names in pod.spec.resourceClaims which is empty',
          "resources.claims[2]: Required value",
        ],
      ],
    },
    (resources) => containerErrors({ resources }),
  );
});

describe("Resources of a pod as a whole", () => {
  const container = {
    name: "c",
    image: "i",
    resources: { requests: { cpu: "2" }, limits: { cpu: "3" } },
  };
  judges(
    {
      "cover those of its containers": [
        { containers: [container], resources: { requests: { cpu: "1" }, limits: { cpu: "2" } } },
        [
          'spec.resources.requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container requests of 2',
          'spec.resources.containers[0][cpu].limits: Invalid value: "3": must be less than or equal to pod limits of 2',
        ],
      ],
      "are of the kinds that pods can have": [
        { resources: { requests: { "ephemeral-storage": "1" } } },
        [
          'spec.resources.requests[ephemeral-storage]: Unsupported value: "ephemeral-storage": supported values: "cpu", "hugepages-", "memory"',
        ],
      ],
      "may be asked for on top of it all": [{ overhead: { cpu: "1" } }, []],
      "have claims that are made of one or the other": [
        {
          resourceClaims: [
            { name: "a" },
            { name: "a", resourceClaimName: "x" },
            { name: "b", resourceClaimName: "x", resourceClaimTemplateName: "y" },
          ],
        },
        [
          'spec.resourceClaims[0]: Invalid value: {"Name":"a","ResourceClaimName":null,"ResourceClaimTemplateName":null}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
          'spec.resourceClaims[1].name: Duplicate value: "a"',
          'spec.resourceClaims[2]: Invalid value: {"Name":"b","ResourceClaimName":"x","ResourceClaimTemplateName":"y"}: at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified',
        ],
      ],
    },
    (spec) => podErrors(spec),
  );
});
