import { type Diagnostic, placed, type Problem } from '../diagnostic.ts';
import { DramaturgError } from '../error.ts';
import type { Path } from '../path.ts';
import type { Positions, Span } from './positions.ts';

/** An author mends a handful at a time; the bound keeps a hostile text from turning into a giant report. */
export const maxFindingsOfAKind = 20;

interface RelatedSpan {
  readonly span: Span;
  readonly path: Path;
  readonly message: string;
}

interface Finding {
  readonly problem: Problem;
  readonly span: Span;
  /** Absent where only the offset is known. */
  readonly path: Path | undefined;
  readonly related: readonly RelatedSpan[];
}

/** What was found in one text so far. */
export class Findings {
  private readonly found: Finding[] = [];
  private readonly counts = new Map<string, number>();

  get none(): boolean {
    return this.found.length === 0;
  }

  /** False when there are enough of this kind; asked first where the details are costly. */
  accepts(kind: { readonly code: string }): boolean {
    return (this.counts.get(kind.code) ?? 0) < maxFindingsOfAKind;
  }

  add(problem: Problem, span: Span, path?: Path, related: readonly RelatedSpan[] = []): void {
    if (!this.accepts(problem)) return;
    this.counts.set(problem.code, (this.counts.get(problem.code) ?? 0) + 1);
    this.found.push({ problem, span, path, related });
  }

  /** Forgets what was found behind an offset: after a mistake in the structure of a text it is not what it seems. */
  dropBehind(offset: number): void {
    const kept = this.found.filter(({ span }) => span.start < offset);
    this.found.splice(0, this.found.length, ...kept);
  }

  /** In order of position. `pathAt` finds the path of what was reported by its offset alone. */
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

/** Leaves a parser's callbacks when a finding makes reading on pointless. Caught in this folder. */
export class ReadingStoppedError extends DramaturgError<'read/stopped'> {
  override readonly name = 'ReadingStoppedError';

  constructor() {
    super('read/stopped', 'A finding has stopped the reading.');
  }
}
