import fc from 'fast-check';

/** Names that mean something to a prototype. */
const prototypeNames = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'];

export const nastyText = fc.oneof(
  fc.constantFrom(...prototypeNames, '', ' ', '.', '..', '../..', '/', '\\', 'beginning', 'null'),
  // A nul byte, a lone surrogate of each kind, line ends, a direction mark, a name that another encoding changes.
  fc.constantFrom(
    'a\0b',
    '\uD800',
    'x\uDC00y',
    'a\r\nid: 1\n\ndata: {}',
    '\u202Eabc',
    '\u2028',
    'É',
  ),
  fc.constantFrom('x'.repeat(300), 'y'.repeat(70_000), '%00', '%2e%2e%2f', "' OR 1=1 --", '${1}'),
  fc.string({ unit: 'binary' }),
);

const nastyNumber = fc.constantFrom(
  0,
  -1,
  -0,
  0.5,
  1e21,
  -1e308,
  5e-324,
  2 ** 31,
  2 ** 53,
  Number.MAX_SAFE_INTEGER + 2,
);

const deepArray = '['.repeat(10_000) + ']'.repeat(10_000);
const deepObject = '{"a":'.repeat(10_000) + '1' + '}'.repeat(10_000);

/** A value in the text of a body that is replaced with one that `JSON.stringify` cannot write. */
const marks = {
  '@deepArray': deepArray,
  '@deepObject': deepObject,
  '@infinite': '1e999',
  '@protoOwn': '{"__proto__":{"polluted":true}}',
  '@twice': '{"type":"a","type":"b"}',
} as const;

export function bodyText(value: unknown): string {
  let text = JSON.stringify(value) ?? '';
  for (const [mark, raw] of Object.entries(marks)) text = text.replaceAll(`"${mark}"`, () => raw);
  return text;
}

export const nasty: fc.Arbitrary<unknown> = fc.oneof(
  nastyText,
  nastyNumber,
  fc.constantFrom(null, true, false, [], {}, [[]], { type: 1 }),
  fc.constantFrom(...Object.keys(marks)),
);

/** One change that usually makes a value wrong. */
export function nearly(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .tuple(value, fc.nat(), fc.constantFrom('remove', 'replace', 'add'), nasty, nastyText)
    .map(([whole, at, kind, wrong, name]) => {
      const copy = structuredClone(whole);
      const places = placesIn(copy);
      const place = places[at % places.length];
      if (!place) return wrong;
      const [parent, key] = place;
      if (kind === 'remove') delete parent[key];
      else if (kind === 'replace') set(parent, key, wrong);
      else set(Array.isArray(parent) ? (copy as Container) : parent, name, wrong);
      return copy;
    });
}

type Container = Record<string, unknown>;

function placesIn(value: unknown): (readonly [Container, string])[] {
  if (typeof value !== 'object' || value === null) return [];
  const parent = value as Container;
  return Object.keys(parent).flatMap((key) => [[parent, key] as const, ...placesIn(parent[key])]);
}

/** Also for `__proto__`. */
function set(parent: Container, key: string, value: unknown): void {
  Object.defineProperty(parent, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}
