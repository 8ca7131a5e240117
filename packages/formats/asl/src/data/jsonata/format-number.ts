import { CodedError } from './values.ts';
import { LimitError } from '../work.ts';

/** The characters of pictures and of shown numbers, which the options of `$formatNumber` replace. */
const defaults: Readonly<Record<string, string>> = {
  'decimal-separator': '.',
  'grouping-separator': ',',
  'exponent-separator': 'e',
  infinity: 'Infinity',
  'minus-sign': '-',
  NaN: 'NaN',
  percent: '%',
  'per-mille': '\u2030',
  'zero-digit': '0',
  digit: '#',
  'pattern-separator': ';',
};
const singleCharacters: ReadonlySet<string> = new Set([
  'decimal-separator',
  'grouping-separator',
  'exponent-separator',
  'zero-digit',
  'digit',
  'pattern-separator',
]);
/** The most characters of a picture, which is analysed in quadratic time. */
const pictureMax = 1_000;

interface Characters {
  readonly of: Readonly<Record<string, string>>;
  /** The digits from zero to nine. */
  readonly digits: readonly string[];
}

interface Parts {
  readonly picture: string;
  readonly prefix: string;
  readonly suffix: string;
  readonly active: string;
  readonly integer: string;
  readonly fraction: string;
  readonly exponent: string | undefined;
}

/**
 * Formats a number by a picture such as `#,##0.00`. Rounds the shortest decimal form of the number, half to even. Spec:
 * XPath and XQuery Functions and Operators 3.1, §4.7
 *
 * @throws CodedError when the picture is not valid
 */
export function formatNumber(value: number, picture: string, options: object = {}): string {
  if (picture.length > pictureMax)
    throw new LimitError(`$formatNumber takes a picture of ${pictureMax} characters at most`);
  const characters = charactersOf(options);
  const { of, digits } = characters;
  const pictures = picture.split(of['pattern-separator']!);
  if (pictures.length > 2) throw new CodedError('D3080');
  const [positive, negative] = pictures.map((each) => partsOf(each, characters));
  for (const parts of [positive, negative]) if (parts) validate(parts, characters);
  const isNegative = value < 0;
  const parts = (isNegative && negative) || positive!;
  const prefix = isNegative && !negative ? of['minus-sign']! + parts.prefix : parts.prefix;
  if (Number.isNaN(value)) return of['NaN']!;
  if (!Number.isFinite(value)) return prefix + of['infinity']! + parts.suffix;
  const isDigit = (character: string) => digits.includes(character);
  const count = (text: string, isCounted: (character: string) => boolean) =>
    Array.from(text).filter(isCounted).length;
  const isPlace = (character: string) => isDigit(character) || character === of['digit'];

  let integerMin = count(parts.integer, isDigit);
  let fractionMin = count(parts.fraction, isDigit);
  let fractionMax = count(parts.fraction, isPlace);
  const scale = integerMin;
  const hasExponent = parts.exponent !== undefined;
  if (integerMin === 0 && fractionMax === 0) {
    if (hasExponent) [fractionMin, fractionMax] = [1, 1];
    else integerMin = 1;
  }
  if (hasExponent && integerMin === 0 && parts.integer.includes(of['digit']!)) integerMin = 1;
  if (integerMin === 0 && fractionMin === 0) fractionMin = 1;

  const shift = parts.picture.includes(of['percent']!)
    ? 2
    : parts.picture.includes(of['per-mille']!)
      ? 3
      : 0;
  const decimal = decimalOf(Math.abs(value));
  const point = hasExponent && decimal.digits !== '' ? scale : decimal.point + shift;
  const exponent = hasExponent && decimal.digits !== '' ? decimal.point + shift - scale : 0;
  const rounded = round(decimal.digits, point, fractionMax);
  const whole = rounded.whole.padStart(integerMin, '0');
  const fraction = rounded.fraction.padEnd(fractionMin, '0');
  const shown = [
    grouped(whole, groupsOf(parts.integer, characters, isPlace), of['grouping-separator']!),
    ...(fraction === ''
      ? []
      : [of['decimal-separator'], withGroups(fraction, parts.fraction, characters, isPlace)]),
    ...(hasExponent
      ? [
          of['exponent-separator'],
          exponent < 0 ? of['minus-sign'] : '',
          String(Math.abs(exponent)).padStart(parts.exponent.length, '0'),
        ]
      : []),
  ].join('');
  const own =
    digits[0] === '0' ? shown : shown.replaceAll(/\d/g, (digit) => digits[Number(digit)]!);
  return prefix + own + parts.suffix;
}

function charactersOf(options: object): Characters {
  const of: Record<string, string> = { ...defaults };
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(defaults, name)) continue;
    const isValid =
      typeof value === 'string' &&
      value !== '' &&
      (value.length === 1 || !singleCharacters.has(name));
    if (!isValid)
      throw new LimitError(
        `$formatNumber: the option "${name}" takes ${singleCharacters.has(name) ? 'one character' : 'a text'}`,
      );
    of[name] = value;
  }
  const zero = of['zero-digit']!.charCodeAt(0);
  return {
    of,
    digits: Array.from({ length: 10 }, (_, digit) => String.fromCharCode(zero + digit)),
  };
}

function partsOf(picture: string, { of, digits }: Characters): Parts {
  const marks = [
    ...digits,
    of['decimal-separator'],
    of['grouping-separator'],
    of['digit'],
    of['pattern-separator'],
  ];
  const places = Array.from(picture, (character, at) =>
    marks.includes(character) ? at : -1,
  ).filter((at) => at >= 0);
  // A picture without such characters is active as a whole.
  const [from, to] = [places[0] ?? 0, (places.at(-1) ?? picture.length - 1) + 1];
  const active = picture.slice(from, to);
  const exponentAt = active.indexOf(of['exponent-separator']!);
  const mantissa = exponentAt < 0 ? active : active.slice(0, exponentAt);
  const pointAt = mantissa.indexOf(of['decimal-separator']!);
  return {
    picture,
    prefix: picture.slice(0, from),
    suffix: picture.slice(to),
    active,
    integer: pointAt < 0 ? mantissa : mantissa.slice(0, pointAt),
    fraction: pointAt < 0 ? '' : mantissa.slice(pointAt + 1),
    exponent: exponentAt < 0 ? undefined : active.slice(exponentAt + 1),
  };
}

/** The rules of a picture, each with its code. */
function validate(
  { picture, active, integer, fraction, exponent }: Parts,
  { of, digits }: Characters,
): void {
  const [point, group, digit] = [of['decimal-separator']!, of['grouping-separator']!, of['digit']!];
  const [percent, perMille] = [of['percent']!, of['per-mille']!];
  const isRepeated = (text: string) => picture.indexOf(text) !== picture.lastIndexOf(text);
  const isDigit = (character: string) => digits.includes(character);
  const marks = [...digits, point, group, digit, of['exponent-separator'], of['pattern-separator']];
  const pointAt = picture.indexOf(point);
  const [firstOptional, lastOptional] = [integer.indexOf(digit), fraction.lastIndexOf(digit)];
  const faults: readonly (readonly [code: string, isFound: boolean])[] = [
    ['D3093', exponent === '' || !Array.from(exponent ?? '').every(isDigit)],
    ['D3092', Boolean(exponent) && (picture.includes(percent) || picture.includes(perMille))],
    ['D3091', lastOptional >= 0 && Array.from(fraction.slice(lastOptional)).some(isDigit)],
    ['D3090', firstOptional >= 0 && Array.from(integer.slice(0, firstOptional)).some(isDigit)],
    ['D3089', picture.includes(group + group)],
    ['D3088', pointAt < 0 && integer.endsWith(group)],
    ['D3087', pointAt >= 0 && [picture[pointAt - 1], picture[pointAt + 1]].includes(group)],
    ['D3086', Array.from(active).some((character) => !marks.includes(character))],
    [
      'D3085',
      !Array.from(integer + fraction).some(
        (character) => isDigit(character) || character === digit,
      ),
    ],
    ['D3084', picture.includes(percent) && picture.includes(perMille)],
    ['D3083', isRepeated(perMille)],
    ['D3082', isRepeated(percent)],
    ['D3081', isRepeated(point)],
  ];
  const fault = faults.find(([, isFound]) => isFound);
  if (fault) throw new CodedError(fault[0]);
}

/** The shortest digits of a number, and how many of them are before the point: 0.05 has the digit 5 and -1. */
function decimalOf(value: number): { readonly digits: string; readonly point: number } {
  if (value === 0) return { digits: '', point: 0 };
  const [mantissa, exponent] = value.toExponential().split('e') as [string, string];
  return { digits: mantissa.replace('.', ''), point: Number(exponent) + 1 };
}

function round(
  digits: string,
  point: number,
  fractionMax: number,
): { readonly whole: string; readonly fraction: string } {
  const end = point + fractionMax;
  // A leading zero takes the carry.
  const all = '0'.repeat(Math.max(1 - Math.min(point, end), 1)) + digits;
  const kept = all.length - digits.length + end;
  let rounded = all.slice(0, kept).padEnd(kept, '0');
  const [next = '0', rest] = [all[kept], all.slice(kept + 1)];
  const isOdd = Number(rounded.at(-1)) % 2 === 1;
  const isUp = next > '5' || (next === '5' && (/[1-9]/.test(rest) || isOdd));
  if (isUp) rounded = String(BigInt(rounded) + 1n).padStart(rounded.length, '0');
  const wholeLength = rounded.length - fractionMax;
  return {
    whole: rounded.slice(0, wholeLength).replace(/^0+/, ''),
    fraction: rounded.slice(wholeLength).replace(/0+$/, ''),
  };
}

/** How many places are to the right of each separator of an integer part. */
function groupsOf(
  integer: string,
  { of }: Characters,
  isPlace: (character: string) => boolean,
): readonly number[] {
  return Array.from(integer).flatMap((character, at) =>
    character === of['grouping-separator']
      ? Array.from(integer.slice(at)).filter(isPlace).length
      : [],
  );
}

/** Separators at equal distances are repeated. */
function grouped(whole: string, positions: readonly number[], separator: string): string {
  const size = Math.min(...positions);
  const isRegular =
    size > 0 && size < Infinity && positions.every((_, at) => positions.includes((at + 1) * size));
  return Array.from(whole, (digit, at) => {
    const right = whole.length - at;
    const isGroup = isRegular ? right % size === 0 : positions.includes(right);
    return isGroup && at > 0 ? separator + digit : digit;
  }).join('');
}

function withGroups(
  fraction: string,
  part: string,
  { of }: Characters,
  isPlace: (character: string) => boolean,
): string {
  const positions = Array.from(part).flatMap((character, at) =>
    character === of['grouping-separator']
      ? Array.from(part.slice(0, at)).filter(isPlace).length
      : [],
  );
  return Array.from(fraction, (digit, at) =>
    at > 0 && positions.includes(at) ? of['grouping-separator']! + digit : digit,
  ).join('');
}
