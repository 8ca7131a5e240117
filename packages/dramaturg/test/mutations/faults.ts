import type { Checked, Diagnostic, Path, Range } from '@dramaturg/compiler';

/** Terms of the implementation that no finding may contain. */
const unsayable = [
  /\[object /,
  /\bundefined\b/,
  /\bNaN\b/,
  /\bnonoptional\b/,
  /Invalid (?:input|option|string|key|union|element|discriminator)/,
  /\breceived\b.*\bexpected\b|\bexpected \w+, received\b/,
  /Unrecognized key/,
  /Too (?:small|big): /,
  /TypeError|RangeError|SyntaxError|ReferenceError/,
  /\n\s+at |node_modules|\.ts:\d/,
  /Cannot read propert|is not a function|is not iterable/,
];

/** Faults of the findings themselves: an invalid position, or terms of the implementation. */
export function faultsIn({ source, diagnostics }: Checked): string[] {
  return diagnostics.flatMap((finding) => {
    const { code, message, hint, path, range, related = [] } = finding;
    const faults: string[] = [];
    const texts = [message, hint ?? '', ...related.map((place) => place.message)];
    for (const text of texts) {
      const spoken = withoutWordsOf(source.text, text);
      const found = unsayable.find((pattern) => pattern.test(spoken));
      if (found) faults.push(`${code} says ${found}: ${text}`);
    }
    if (message.trim() === '') faults.push(`${code} says nothing`);
    for (const place of [finding, ...related]) faults.push(...misplaced(code, place, source));
    if (!isInside(range, source.text)) faults.push(`${code} is beside the text`);
    // A finding about a missing field is shown at the object that lacks it.
    if (!code.startsWith('read/') && !exists(path.slice(0, -1), source.value))
      faults.push(`${code} is at ${path.join('.')}, which is not in the definition`);
    return faults;
  });
}

/** Removes quoted texts of the author, which may contain anything. */
function withoutWordsOf(text: string, sentence: string): string {
  return sentence.replaceAll(/"(?:[^"\\]|\\.)*"/g, (quoted) =>
    text.includes(quoted.slice(1, -1)) ? '""' : quoted,
  );
}

function misplaced(
  code: string,
  { range }: Pick<Diagnostic, 'range'>,
  { text }: Checked['source'],
): string[] {
  const { start } = range;
  const before = text.slice(0, start.offset).split(/\r\n|\n|\r/);
  const isBetween = text.slice(start.offset - 1, start.offset + 1) === '\r\n';
  const isRight = start.line === before.length && start.column === before.at(-1)!.length + 1;
  return isRight || isBetween
    ? []
    : [`${code} is at ${start.line}:${start.column}, offset ${start.offset}`];
}

function isInside({ start, end }: Range, text: string): boolean {
  return start.offset >= 0 && start.offset <= end.offset && end.offset <= text.length;
}

function exists(path: Path, value: unknown): boolean {
  let at = value;
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return false;
    at = (at as Record<string | number, unknown>)[step];
  }
  return true;
}
