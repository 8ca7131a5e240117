import { type Diagnostic, placed, type Problem } from '../diagnostic.ts';
import { DramaturgError } from '../error.ts';
import type { Path } from '../path.ts';
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
