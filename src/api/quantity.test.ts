import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { canonicalQuantity, parseQuantity, type Quantity, QuantityError } from "./quantity.ts";

/** [text, canonical]: suffixes of all three families, rewritten and not. */
const canonicalTexts: readonly (readonly [string, string])[] = [
  ["0", "0"],
  ["0Ki", "0"],
  ["00", "0"],
  ["-0", "0"],
  ["0e3", "0"],
  ["1", "1"],
  ["0.5", "500m"],
  ["1.5", "1500m"],
  ["1.08", "1080m"],
  ["9.01", "9010m"],
  ["0.001", "1m"],
  [".001", "1m"],
  [".0001k", "100m"],
  ["1000m", "1"],
  ["1000u", "1m"],
  ["1080000000n", "1080m"],
  ["1000", "1k"],
  ["1234000", "1234k"],
  ["50000", "50k"],
  ["1000M", "1G"],
  ["0.001T", "1G"],
  ["1.01E", "1010P"],
  ["12E", "12E"],
  ["1Ki", "1Ki"],
  ["1024Ki", "1Mi"],
  ["1024Mi", "1Gi"],
  ["307200Ki", "300Mi"],
  ["1025024Mi", "1001Gi"],
  ["1000Mi", "1000Mi"],
  ["1.5Gi", "1536Mi"],
  ["0.5Mi", "512Ki"],
  ["0.05Gi", "53687091200m"],
  ["100.035Ki", "102435840m"],
  [".001Ki", "1024m"],
  [".000000001Ki", "1024n"],
  ["1e3", "1e3"],
  ["1E6", "1E6"],
  ["1e4", "10e3"],
  ["1.2e3", "1200"],
  ["1.3E+6", "1300e3"],
  [".001e12", "1e9"],
  ["0.001e0", "1e-3"],
  ["1000e-12", "1e-9"],
  ["1000E", "1e21"],
];

const rounded: readonly (readonly [string, string])[] = [
  ["3.001n", "4n"],
  ["1.1E-9", "2e-9"],
  ["0.0000000001", "1n"],
  ["0.00000012345", "124n"],
  ["0.00000012354", "124n"],
  ["0.5e-9", "1e-9"],
  ["0.000000000001Ki", "2n"],
  ["1e-999999999", "1e-9"],
];

describe("a quantity", () => {
  for (const [text, canonical] of [...canonicalTexts, ...rounded]) {
    test(`${text} is written as ${canonical}`, () => {
      assert.equal(canonicalQuantity(text), canonical);
    });
    if (canonical !== "0") {
      test(`-${text} is written as -${canonical}`, () => {
        assert.equal(canonicalQuantity(`-${text}`), `-${canonical}`);
      });
    }
  }

  test("that is well written is answered as it came, with its plus, zeros or fraction", () => {
    for (const text of ["+1", "01", "1.", "1.G", "1.250", "100.035k", "1e+3", "1E-3"]) {
      assert.equal(canonicalQuantity(text), text);
    }
  });

  test("in binary units ends at the largest int64", () => {
    for (const text of ["9Ei", "9223372036854775807Ki", `1${"0".repeat(100)}Mi`]) {
      assert.equal(canonicalQuantity(text), "9223372036854775807");
      assert.equal(canonicalQuantity(`-${text}`), "-9223372036854775807");
    }
    assert.equal(canonicalQuantity("7Ei"), "7Ei");
  });

  test("without a single digit is zero where the API reads it so", () => {
    for (const text of [".", "-", "+", "m", "Ki", "e5"]) assert.equal(canonicalQuantity(text), "0");
  });

  for (const [message, texts] of [
    [
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
      ["", " 1", "1 ", "1.1.M", "1+1.0M", "0.1am", "aoeu", "1é", "1e3.5", "1,5"],
    ],
    [
      "unable to parse quantity's suffix",
      [
        "0.1mi",
        ".5i",
        "1i",
        "-3.01i",
        "-3.01e-",
        "1+1",
        "--1",
        "1e",
        "1ee3",
        "1kk",
        "1e99999999999999999999",
      ],
    ],
    ["unable to parse numeric part of quantity", [".Ei", "Ei", "-Pi", "e-10"]],
  ] as const) {
    test(`is refused with "${message.slice(0, 40)}"`, () => {
      for (const text of texts) {
        assert.throws(() => parseQuantity(text), new QuantityError(message), text);
      }
    });
  }

  test("compares by amount, whatever the suffix", () => {
    const compared = (a: string, b: string) => parseQuantity(a).compare(parseQuantity(b));
    assert.equal(compared("100m", "50m"), 1);
    assert.equal(compared("50m", "0.1"), -1);
    assert.equal(compared("10000T", "100Gi"), 1);
    assert.equal(compared("1Ki", "1.024k"), 0);
    assert.equal(compared("0", "0e9"), 0);
    assert.equal(compared("-1", "0"), -1);
    assert.equal(compared("-1k", "-1e900"), 1);
  });

  test("with an absurd exponent is compared, added and read without being written out", () => {
    const huge = parseQuantity("1e999999999");
    assert.equal(huge.compare(parseQuantity("999E")), 1);
    assert.equal(huge.compare(parseQuantity("10e999999998")), 0);
    assert.equal(huge.value(), 2n ** 63n - 1n);
    assert.equal(parseQuantity("1").add(huge).canonical(), "1e999999999");
    assert.equal(parseQuantity("1Ki").add(huge).canonical(), "1e999999999");
  });

  test("with thousands of digits is read, with a million it is refused", () => {
    assert.equal(canonicalQuantity(`1${"0".repeat(9000)}`), "1e9000");
    assert.equal(canonicalQuantity(`0.${"0".repeat(9000)}1`), "1n");
    assert.throws(() => parseQuantity(`1${"0".repeat(1_000_000)}`), QuantityError);
    assert.throws(() => parseQuantity(`0.${"0".repeat(1_000_000)}1`), QuantityError);
    assert.throws(() => parseQuantity(`${"0".repeat(1_000_000)}x`), QuantityError);
    assert.throws(() => parseQuantity(`1e${"0".repeat(1_000_000)}`), QuantityError);
  });

  test("keeps its format in a sum, unless it is zero", () => {
    const sum = (a: string, b: string) => parseQuantity(a).add(parseQuantity(b)).canonical();
    assert.equal(sum("0", "1Gi"), "1Gi");
    assert.equal(sum("1Gi", "0"), "1Gi");
    assert.equal(sum("1Gi", "1G"), "2073741824");
    assert.equal(sum("512Mi", "536870912"), "1Gi");
    assert.equal(sum("999m", "1m"), "1");
    assert.equal(parseQuantity("1").subtract(parseQuantity("1000m")).canonical(), "0");
    assert.equal(parseQuantity("0").subtract(parseQuantity("1Gi")).canonical(), "-1Gi");
  });

  test("is read as whole units or thousandths, rounded away from zero", () => {
    assert.equal(parseQuantity("1.1").value(), 2n);
    assert.equal(parseQuantity("-1.1").value(), -2n);
    assert.equal(parseQuantity("64Mi").value(), 67_108_864n);
    assert.equal(parseQuantity("250m").milliValue(), 250n);
    assert.equal(parseQuantity("1u").milliValue(), 1n);
    assert.equal(parseQuantity("9E").milliValue(), 2n ** 63n - 1n);
  });

  test("loses what is finer than thousandths when it is stored as a limit", () => {
    assert.equal(parseQuantity("1.0005").roundedToMilli().canonical(), "1001m");
    assert.equal(parseQuantity("1.250").roundedToMilli().canonical(), "1.250");
    assert.equal(parseQuantity("-1n").roundedToMilli().canonical(), "-1m");
  });
});

/** A text and the amount in 10^-12 units, computed another way. */
const exact = fc
  .record({
    negative: fc.boolean(),
    whole: fc.bigInt(0n, 10n ** 12n),
    fraction: fc.option(fc.stringMatching(/^[0-9]{1,3}$/)),
    suffix: fc.constantFrom("m", "", "k", "M", "G", "Ki", "Mi", "Gi", "e3", "E6", "e0"),
  })
  .map(({ negative, whole, fraction, suffix }) => {
    const text = `${negative ? "-" : ""}${whole}${fraction === null ? "" : `.${fraction}`}${suffix}`;
    const amount = BigInt(`${whole}${(fraction ?? "").padEnd(3, "0")}`) * unitOf(suffix);
    return { text, amount: negative ? -amount : amount };
  });

function unitOf(suffix: string): bigint {
  const power = ["Ki", "Mi", "Gi"].indexOf(suffix);
  if (power >= 0) return 10n ** 9n * 1024n ** BigInt(power + 1);
  const exponents = { m: -3, "": 0, k: 3, M: 6, G: 9, e3: 3, E6: 6, e0: 0 } as const;
  return 10n ** BigInt(9 + exponents[suffix as keyof typeof exponents]);
}

/** Binary amounts beyond int64 are capped, which the exact amount is not. */
const inRange = exact.filter(
  ({ amount }) => amount < 2n ** 63n * 10n ** 12n && amount > -(2n ** 63n) * 10n ** 12n,
);

describe("any quantity", () => {
  test("keeps its canonical text and its amount when it is read again", () => {
    fc.assert(
      fc.property(exact, ({ text }) => {
        const first = parseQuantity(text);
        const again = parseQuantity(first.canonical());
        assert.equal(again.canonical(), first.canonical());
        assert.equal(again.compare(first), 0);
      }),
    );
  });

  test("is ordered like its exact amount", () => {
    fc.assert(
      fc.property(inRange, inRange, (a, b) => {
        const expected = a.amount < b.amount ? -1 : a.amount > b.amount ? 1 : 0;
        assert.equal(parseQuantity(a.text).compare(parseQuantity(b.text)), expected);
      }),
    );
  });

  test("adds up exactly", () => {
    fc.assert(
      fc.property(inRange, inRange, (a, b) => {
        const sum: Quantity = parseQuantity(a.text).add(parseQuantity(b.text));
        assert.equal(sum.subtract(parseQuantity(b.text)).compare(parseQuantity(a.text)), 0);
        assert.equal(BigInt(sum.sign()), signOf(a.amount + b.amount));
      }),
    );
  });
});

function signOf(amount: bigint): bigint {
  return amount > 0n ? 1n : amount < 0n ? -1n : 0n;
}
