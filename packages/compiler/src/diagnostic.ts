import type { Path } from './json.ts';

export type Severity = 'error' | 'warning' | 'info';

/** A point in the text. `line` and `column` count from 1, in UTF-16 units; `offset` counts from 0. */
export interface Position {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
}

/** A stretch of the text. `end` directly follows its last character. */
export interface Range {
  readonly start: Position;
  readonly end: Position;
}

/** A finding about a definition: plain data, worded once, printed anywhere. */
export interface Diagnostic {
  /** `plan/unknown-target`: stable, greppable, and the name of a page in docs/diagnostics. */
  readonly code: string;
  readonly severity: Severity;
  /** A path into the definition as authored. */
  readonly path: Path;
  readonly range: Range;
  /** The problem, with the author's own names in quotes. */
  readonly message: string;
  /** The next thing to do. */
  readonly hint?: string;
  /** Other places that explain this one: "first declared here". */
  readonly related?: readonly RelatedPlace[];
}

export interface RelatedPlace {
  readonly path: Path;
  readonly range: Range;
  readonly message: string;
}

/** A finding before it is placed in a text. */
export interface Problem {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly hint?: Hint;
  /** Marks a warning after which a part is not read as its author meant it. Errors always count as misread. */
  readonly misread?: boolean;
}

/** The next thing to do; a function when it is expensive to compute, as "did you mean" is. */
type Hint = string | (() => string | undefined);

/** One kind of problem: called with its details it gives the worded problem. */
export interface ProblemKind<Details extends readonly unknown[] = never> {
  (...details: Details): Problem;
  readonly code: string;
  readonly severity: Severity;
}

export interface ProblemOptions {
  /** Marks warnings after which a part is not read as its author meant it: findings that follow from that part are dropped. */
  readonly misread?: boolean;
}

/**
 * Declares a kind of problem.
 *
 * @param code its stable code, `format/what-is-wrong`
 * @param word puts the details into words; an absent or empty hint is left out
 */
export function problem<Details extends readonly unknown[]>(
  code: string,
  severity: Severity,
  word: (...details: Details) => { message: string; hint?: Hint | undefined },
  { misread = false }: ProblemOptions = {},
): ProblemKind<Details> {
  const kind = (...details: Details): Problem => {
    const { message, hint } = word(...details);
    return { code, severity, message, ...(hint ? { hint } : {}), ...(misread ? { misread } : {}) };
  };
  return Object.assign(kind, { code, severity });
}

/** Declares the kinds of problems of a format, by their names without the format. `kinds` has all that were declared. */
export function problemsOf(format: string) {
  const kinds: ProblemKind[] = [];
  const declare =
    (severity: Severity, options?: ProblemOptions) =>
    <Details extends readonly unknown[]>(
      name: string,
      word: Parameters<typeof problem<Details>>[2],
    ): ProblemKind<Details> => {
      const kind = problem(`${format}/${name}`, severity, word, options);
      kinds.push(kind);
      return kind;
    };
  return {
    error: declare('error'),
    warning: declare('warning'),
    /** A warning after which a part is not read as its author meant it. */
    misread: declare('warning', { misread: true }),
    info: declare('info'),
    kinds: kinds as readonly ProblemKind[],
  };
}

/** Adds the place of a problem, and computes a deferred hint. */
export function placed(
  { code, severity, message, hint }: Problem,
  path: Path,
  range: Range,
  related: readonly RelatedPlace[] = [],
): Diagnostic {
  const hintText = typeof hint === 'function' ? hint() : hint;
  return {
    code,
    severity,
    path,
    range,
    message,
    ...(hintText === undefined ? {} : { hint: hintText }),
    ...(related.length === 0 ? {} : { related }),
  };
}

/**
 * True when one of the findings keeps the definition from being compiled.
 *
 * @example
 * ```ts
 * const { diagnostics } = check('StartAt: Pya\nStates: { Pay: { Type: Succeed } }');
 * console.log(hasErrors(diagnostics)); // → true
 * ```
 */
export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === 'error');
}
