// What kube-apiserver 1.38 with etcd 3.5 gave on a machine with two cores, in operations per second. That was another
// machine at another time: a ratio to them is a hint, and only those to a yardstick of the same run say more.

/** By operation, size and clients. Those of 16 clients and 1 KiB are medians of six runs, the others of three. */
export const anchors: Readonly<Record<string, number>> = {
  "update 1 KiB, 1": 301,
  "update 1 KiB, 16": 633,
  "update 1 KiB, 64": 762,
  "patch 1 KiB, 16": 777,
  "create 1 KiB, 1": 322,
  "create 1 KiB, 16": 948,
  "create 1 KiB, 64": 1018,
  "get 1 KiB, 1": 741,
  "get 1 KiB, 16": 2113,
  "get 1 KiB, 64": 2565,
  "update 100 KiB, 1": 105,
  "update 100 KiB, 16": 196,
  "update 100 KiB, 64": 146,
  "create 100 KiB, 1": 134,
  "create 100 KiB, 16": 245,
  "create 100 KiB, 64": 242,
  "get 100 KiB, 1": 427,
  "get 100 KiB, 16": 1154,
  "get 100 KiB, 64": 1249,
  "list 1,000 x 1 KiB, 1": 37,
  "list 1,000 x 1 KiB, 16": 79,
  "list 1,000 x 1 KiB, 64": 76,
  "update of one object 1 KiB, 16": 117,
};

/** For updates, creates and gets: so many times the anchor. */
export const WANTED_TIMES = 3;
