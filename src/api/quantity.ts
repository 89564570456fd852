// Kubernetes quantities: exact decimal numbers with a suffix ("500m", "1536Mi", "2e3"). A value is mantissa · 10^scale; it
// remembers which family of suffixes it was written in and is written back in that family. Sizes of the text are
// the client's choice, so nothing here takes more than about linear time in it, and nothing expands an exponent.

/** Which suffixes: m k M …, Ki Mi …, or e3. */
export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

/** The text is not a quantity. The message is the API's own. */
export class QuantityError extends Error {
  override readonly name = "QuantityError";
}

const formatMessage =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const numericMessage = "unable to parse numeric part of quantity";
const suffixMessage = "unable to parse quantity's suffix";

const decimalSuffixes: readonly (readonly [string, number])[] = [
  ["n", -9],
  ["u", -6],
  ["m", -3],
  ["", 0],
  ["k", 3],
  ["M", 6],
  ["G", 9],
  ["T", 12],
  ["P", 15],
  ["E", 18],
];
const binarySuffixes: readonly string[] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

const exponentOfDecimal = new Map(decimalSuffixes);
const decimalOfExponent = new Map(decimalSuffixes.map(([suffix, exponent]) => [exponent, suffix]));
const maxInt64 = 2n ** 63n - 1n;
/** Nobody means more; the time that a number takes grows faster than its digits. */
const maxDigits = 10_000;
/** The finest amount that is kept; what is finer is rounded up. */
const nano = -9;
/** Sums of amounts that lie further apart than this many digits are the larger of the two. */
const maxAlignedDigits = 4096;

interface QuantityParts {
  readonly mantissa: bigint;
  readonly scale: number;
  readonly format: QuantityFormat;
  /** Given if the text needs no rewriting. */
  readonly text?: string;
}

export class Quantity {
  readonly format: QuantityFormat;
  readonly #mantissa: bigint;
  readonly #scale: number;
  #text: string | undefined;

  constructor(parts: QuantityParts) {
    this.format = parts.format;
    this.#mantissa = parts.mantissa;
    this.#scale = parts.scale;
    this.#text = parts.text;
  }

  /** As the API writes it: no fraction, and the largest suffix that loses nothing. */
  canonical(): string {
    this.#text ??= canonicalText(this.#mantissa, this.#scale, this.format);
    return this.#text;
  }

  toString(): string {
    return this.canonical();
  }

  /** -1, 0 or 1. */
  sign(): number {
    return this.#mantissa === 0n ? 0 : this.#mantissa < 0n ? -1 : 1;
  }

  isNegative(): boolean {
    return this.#mantissa < 0n;
  }

  /** Negative if this is less than `other`, 0 if they are the same amount. */
  compare(other: Quantity): number {
    const apart = this.#scale - other.#scale;
    if (apart === 0) return order(this.#mantissa, other.#mantissa);
    const signs = this.sign() - other.sign();
    if (signs !== 0 || this.#mantissa === 0n) return Math.sign(signs);
    if (Math.abs(apart) > 64) {
      const lengths =
        digitsOf(this.#mantissa) + this.#scale - digitsOf(other.#mantissa) - other.#scale;
      if (lengths !== 0) return Math.sign(lengths) * this.sign();
    }
    return apart > 0
      ? order(this.#mantissa * tenTo(apart), other.#mantissa)
      : order(this.#mantissa, other.#mantissa * tenTo(-apart));
  }

  /** Keeps this format, unless this is zero. */
  add(other: Quantity): Quantity {
    if (other.#mantissa === 0n) return this;
    if (this.#mantissa === 0n) return other;
    const scale = Math.min(this.#scale, other.#scale);
    if (Math.abs(this.#scale - other.#scale) > maxAlignedDigits) {
      const larger = this.#scale > other.#scale ? this : other;
      return new Quantity({
        mantissa: larger.#mantissa,
        scale: larger.#scale,
        format: this.format,
      });
    }
    const mantissa =
      this.#mantissa * tenTo(this.#scale - scale) + other.#mantissa * tenTo(other.#scale - scale);
    return new Quantity({ mantissa, scale, format: this.format });
  }

  subtract(other: Quantity): Quantity {
    return this.add(
      new Quantity({ mantissa: -other.#mantissa, scale: other.#scale, format: other.format }),
    );
  }

  /** Whole units (bytes, cores), a fraction rounded away from zero; never beyond the range of an int64. */
  value(): bigint {
    return this.#scaled(0);
  }

  /** Thousandths, rounded and bounded like `value`. */
  milliValue(): bigint {
    return this.#scaled(-3);
  }

  /** Nothing finer than thousandths, as limits and requests are stored; rounded away from zero. */
  roundedToMilli(): Quantity {
    if (this.#scale >= -3) return this;
    const mantissa = dividedUp(this.#mantissa, -3 - this.#scale);
    return new Quantity({ mantissa, scale: -3, format: this.format });
  }

  #scaled(scale: number): bigint {
    const shift = this.#scale - scale;
    if (shift < 0) return withinInt64(dividedUp(this.#mantissa, -shift));
    // 10^19 is more than an int64 holds, so that larger shifts need not be made.
    return withinInt64(this.#mantissa * tenTo(Math.min(shift, 19)));
  }
}

/** Throws QuantityError. Blanks around the number are the caller's to remove. */
export function parseQuantity(text: string): Quantity {
  if (text === "") throw new QuantityError(formatMessage);
  const { negative, whole, fraction, suffix } = scan(text);
  if (whole.length + fraction.length > maxDigits) throw new QuantityError(formatMessage);
  const { exponent, format } = interpretSuffix(suffix);
  const binary = format === "BinarySI";
  const digits = whole + fraction;
  const scale = (binary ? 0 : exponent) - fraction.length;

  if (scale >= nano && isShort({ whole, fraction, exponent, binary })) {
    const unsigned = BigInt(digits);
    const amount = binary ? unsigned << BigInt(exponent) : unsigned;
    const mantissa = negative ? -amount : amount;
    const kept = binary ? (unsigned & 7n) !== 0n : isWrittenWell(digits, scale);
    return new Quantity({ mantissa, scale, format, ...(kept && { text }) });
  }
  if (!/\d/.test(text.slice(0, text.length - suffix.length)))
    throw new QuantityError(numericMessage);
  const amount = binary ? BigInt(digits) << BigInt(exponent) : BigInt(digits);
  return bounded({ mantissa: amount, scale, format }, negative);
}

/** The canonical text of a quantity. Throws QuantityError. */
export function canonicalQuantity(text: string): string {
  return parseQuantity(text).canonical();
}

interface ScannedQuantity {
  readonly negative: boolean;
  /** Without leading zeros; "0" if there is nothing else. */
  readonly whole: string;
  readonly fraction: string;
  readonly suffix: string;
}

function scan(text: string): ScannedQuantity {
  const signed = text.startsWith("-") || text.startsWith("+");
  const start = skip(text, signed ? 1 : 0, isZero);
  const wholeEnd = skip(text, start, isDigit);
  const pointed = text[wholeEnd] === ".";
  const numberEnd = pointed ? skip(text, wholeEnd + 1, isDigit) : wholeEnd;
  let end = skip(text, numberEnd, isSuffixLetter);
  if (text[end] === "+" || text[end] === "-") end++;
  if (skip(text, end, isDigit) < text.length) throw new QuantityError(formatMessage);
  return {
    negative: text.startsWith("-"),
    whole: text.slice(start, wholeEnd) || "0",
    fraction: pointed ? text.slice(wholeEnd + 1, numberEnd) : "",
    suffix: text.slice(numberEnd),
  };
}

function skip(text: string, from: number, accepts: (code: number) => boolean): number {
  let at = from;
  while (at < text.length && accepts(text.charCodeAt(at))) at++;
  return at;
}

function isZero(code: number): boolean {
  return code === 0x30;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isSuffixLetter(code: number): boolean {
  return "eEinumkKMGTP".includes(String.fromCharCode(code));
}

function interpretSuffix(suffix: string): {
  readonly exponent: number;
  readonly format: QuantityFormat;
} {
  const decimal = exponentOfDecimal.get(suffix);
  if (decimal !== undefined) return { exponent: decimal, format: "DecimalSI" };
  const binary = binarySuffixes.indexOf(suffix);
  if (binary > 0) return { exponent: binary * 10, format: "BinarySI" };
  if (!/^[eE][+-]?\d+$/.test(suffix) || suffix.length > 400) throw new QuantityError(suffixMessage);
  const exponent = BigInt(suffix.slice(suffix[1] === "+" ? 2 : 1));
  if (exponent > maxInt64 || exponent < -maxInt64 - 1n) throw new QuantityError(suffixMessage);
  // The API keeps 32 bits of the exponent.
  return { exponent: Number(BigInt.asIntN(32, exponent)), format: "DecimalExponent" };
}

/** Whether the API reads the number as an int64, in which case a well written text is kept as it is. */
function isShort(of: {
  readonly whole: string;
  readonly fraction: string;
  readonly exponent: number;
  readonly binary: boolean;
}): boolean {
  const { whole, fraction, exponent, binary } = of;
  if (!binary) return whole.length + fraction.length <= 18;
  return fraction === "" && whole.length <= 14 - (exponent * 3) / 10;
}

/** Thousands, and no more digits than needed. "1.250" and "+1" pass, and the API does answer with them. */
function isWrittenWell(digits: string, scale: number): boolean {
  return scale % 3 === 0 && !digits.endsWith("000") && !digits.startsWith("0");
}

/** Rounds up to what can be kept, and binary amounts down to the largest int64. */
function bounded(parts: QuantityParts, negative: boolean): Quantity {
  let { mantissa, scale, format } = parts;
  if (scale < nano) {
    mantissa = dividedUp(mantissa, nano - scale);
    scale = nano;
  }
  if (format === "BinarySI") {
    const unit = tenTo(-scale);
    if (mantissa > maxInt64 * unit) {
      mantissa = maxInt64;
      scale = 0;
    } else if (mantissa > 0n && mantissa < unit) {
      format = "DecimalSI";
    }
  }
  return new Quantity({ mantissa: negative ? -mantissa : mantissa, scale, format });
}

function canonicalText(mantissa: bigint, scale: number, format: QuantityFormat): string {
  if (mantissa === 0n) return "0";
  const sign = mantissa < 0n ? "-" : "";
  const amount = mantissa < 0n ? -mantissa : mantissa;
  const whole = format === "BinarySI" ? wholeAmount(amount, scale) : undefined;
  if (whole !== undefined && whole >= 1024n) return sign + binaryText(whole);
  return sign + decimalText(amount, scale, format === "DecimalExponent");
}

function binaryText(whole: bigint): string {
  let amount = whole;
  let power = 0;
  while (power < binarySuffixes.length - 1 && (amount & 1023n) === 0n) {
    amount >>= 10n;
    power++;
  }
  return `${amount}${binarySuffixes[power]}`;
}

/** Beyond E, where the API drops the suffix and with it the value, an exponent is written. */
function decimalText(amount: bigint, scale: number, exponents: boolean): string {
  const digits = amount.toString();
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  const exponent = scale + digits.length - end;
  const extra = ((exponent % 3) + 3) % 3;
  const number = digits.slice(0, end) + "0".repeat(extra);
  const power = exponent - extra;
  const suffix = exponents ? undefined : decimalOfExponent.get(power);
  return number + (suffix ?? (power === 0 ? "" : `e${power}`));
}

/** Undefined if there is a fraction, or so many digits that no binary suffix would do. */
function wholeAmount(amount: bigint, scale: number): bigint | undefined {
  if (scale >= 0) return scale > 64 ? undefined : amount * tenTo(scale);
  const unit = tenTo(-scale);
  return amount % unit === 0n ? amount / unit : undefined;
}

/** mantissa / 10^digits, rounded away from zero. */
function dividedUp(mantissa: bigint, digits: number): bigint {
  if (mantissa === 0n) return 0n;
  const sign = mantissa < 0n ? -1n : 1n;
  const amount = mantissa * sign;
  if (digits > 64 && digits >= digitsOf(amount)) return sign;
  const unit = tenTo(digits);
  return sign * ((amount + unit - 1n) / unit);
}

function withinInt64(value: bigint): bigint {
  if (value > maxInt64) return maxInt64;
  return value < -maxInt64 - 1n ? -maxInt64 - 1n : value;
}

function digitsOf(mantissa: bigint): number {
  return (mantissa < 0n ? -mantissa : mantissa).toString().length;
}

function tenTo(power: number): bigint {
  return 10n ** BigInt(power);
}

function order(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
