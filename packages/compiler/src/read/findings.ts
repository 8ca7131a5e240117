import { type Diagnostic, placed, type Problem } from '../diagnostic.ts';
import { DramaturgError } from '../error.ts';
import type { Path } from '../json.ts';
import { placeholderEnd } from '../placeholders/placeholder.ts';
import type { Positions, Span } from './positions.ts';

/** More findings than an author fixes at a time. Keeps reports about hostile input small. */
export const maxFindingsOfAKind = 20;

interface RelatedSpan {
  readonly span: Span;
  readonly path: Path;
  readonly message: string;
}

interface Finding {
  readonly problem: Problem;
  readonly span: Span;
  /** Absent when only the offset is known. */
  readonly path: Path | undefined;
  readonly related: readonly RelatedSpan[];
}

/** Collects the findings about one text. */
export class Findings {
  private readonly found: Finding[] = [];
  private readonly counts = new Map<string, number>();

  get none(): boolean {
    return this.found.length === 0;
  }

  /** False when there are enough findings of this kind. Call it first when the details of a finding are expensive. */
  accepts(kind: { readonly code: string }): boolean {
    return (this.counts.get(kind.code) ?? 0) < maxFindingsOfAKind;
  }

  add(problem: Problem, span: Span, path?: Path, related: readonly RelatedSpan[] = []): void {
    if (!this.accepts(problem)) return;
    this.counts.set(problem.code, (this.counts.get(problem.code) ?? 0) + 1);
    this.found.push({ problem, span, path, related });
  }

  has(kind: { readonly code: string }): boolean {
    return this.counts.has(kind.code);
  }

  addAll({ found }: Findings): void {
    for (const { problem, span, path, related } of found) this.add(problem, span, path, related);
  }

  /** Drops findings after an offset, because a mistake in the structure makes later findings unreliable. */
  dropBehind(offset: number): void {
    const kept = this.found.filter(({ span }) => span.start < offset);
    this.found.splice(0, this.found.length, ...kept);
  }

  /** The diagnostics by position. `pathAt` finds the paths of findings that have only an offset. */
  diagnostics(positions: Positions, pathAt: (offset: number) => Path): Diagnostic[] {
    return this.found
      .toSorted((one, other) => one.span.start - other.span.start)
      .map(({ problem, span, path, related }) =>
        placed(
          problem,
          path ?? pathAt(span.start),
          positions.range(span),
          related.map((place) => ({
            path: place.path,
            range: positions.range(place.span),
            message: place.message,
          })),
        ),
      );
  }
}

/** Thrown out of a parser's callbacks when reading cannot continue after a finding. Caught in this folder. */
export class ReadingStoppedError extends DramaturgError<'read/stopped'> {
  override readonly name = 'ReadingStoppedError';

  constructor() {
    super('read/stopped', 'A finding has stopped the reading.');
  }
}

interface BarePlaceholders {
  /** The text with each placeholder outside of quotes replaced by a JSON string of the same length. */
  readonly text: string;
  /** The offsets of these placeholders. */
  readonly offsets: ReadonlySet<number>;
}

/**
 * Finds placeholders that are not in quotes, as templates of JSON have them: `"TimeoutSeconds": ${timeout}`. The length of the text
 * stays the same, so positions do too.
 */
export function quoteBarePlaceholders(text: string): BarePlaceholders {
  const offsets = new Set<number>();
  if (!text.includes('${')) return { text, offsets };
  const parts: string[] = [];
  let copied = 0;
  let offset = 0;
  while (offset < text.length) {
    const end = text[offset] === '$' ? placeholderEnd(text, offset) : undefined;
    if (end === undefined) {
      offset = behindTokenAt(text, offset);
      continue;
    }
    offsets.add(offset);
    parts.push(text.slice(copied, offset), `"${'x'.repeat(end - offset - 2)}"`);
    copied = end;
    offset = end;
  }
  return { text: parts.join('') + text.slice(copied), offsets };
}

/** The offset after the string, the comment or the character at an offset. */
function behindTokenAt(text: string, start: number): number {
  if (text[start] === '"') return behindQuotes(text, start);
  if (text.startsWith('//', start)) return behind(text, '\n', start);
  if (text.startsWith('/*', start)) return behind(text, '*/', start + 2);
  return start + 1;
}

/** A string ends at the end of its line, as for the parser. */
function behindQuotes(text: string, start: number): number {
  let offset = start + 1;
  while (offset < text.length && text[offset] !== '"' && text[offset] !== '\n')
    offset += text[offset] === '\\' ? 2 : 1;
  return offset + 1;
}

function behind(text: string, end: string, start: number): number {
  const found = text.indexOf(end, start);
  return found < 0 ? text.length : found + end.length;
}

/** Signs of YAML inside of placeholders, and private characters that take their places while it is parsed. */
const signs = ['{', '}', ',', '[', ']'];
const firstPrivate = 0xe0_00;
const privateCharacters = /[\uE000-\uE004]/g;

/** Hides the brackets of placeholders from the YAML parser: `{ Table: ${Table} }`. The length stays the same. */
export function hideBrackets(text: string): string {
  if (text.search(privateCharacters) >= 0) return text;
  return text.replace(/\$\{[A-Za-z_][^{}"\n]{0,400}\}/g, (found) =>
    found.replace(/[{},[\]]/g, (sign) => String.fromCharCode(firstPrivate + signs.indexOf(sign))),
  );
}

export function showBrackets(text: string): string {
  return text.replace(
    privateCharacters,
    (hidden) => signs[hidden.charCodeAt(0) - firstPrivate] ?? hidden,
  );
}
