import { type Diagnostic, hasErrors, placed, type Problem } from './diagnostic.ts';
import { DramaturgError } from './error.ts';
import { tooManyFindings } from './format-problems.ts';
import type { Pattern, Report, ReportDetails } from './format.ts';
import { comparePaths, type Path } from './json.ts';
import type { UnfilledValue } from './placeholders/fill.ts';
import type { Source } from './read/source.ts';

/** Stops the rules when enough errors are reported. Caught by `Reporter.run`. */
class ReportLimitError extends DramaturgError<'report/limit-reached'> {
  override readonly name = 'ReportLimitError';

  constructor() {
    super('report/limit-reached', `More than ${mostFindings} errors were reported.`);
  }
}

const mostFindings = 500;
/** How many further places of one topic are listed. */
const mostPlaces = 5;

interface Finding extends ReportDetails {
  readonly problem: Problem;
  readonly path: Path;
  /** From the schema: rules for the same place only repeat it. */
  readonly isShape: boolean;
  readonly furtherPlaces: Path[];
}

/**
 * Collects the findings of one compile, and keeps one for each cause.
 *
 * Owns the findings until `sorted`; it is used for one text and then dropped.
 *
 *     C1  A rule's finding about a place is dropped when the text or the shape of the place is wrong.
 *     C2  A finding that follows from places is dropped when one of them is not read as its author meant it: because of
 *         an error, or of a warning that is marked as `misread`.
 *     C3  Findings of one code and topic are one finding; the later places become related ones.
 *     C4  When an error is dropped because of a warning, that warning becomes an error: a definition with a mistake
 *         does not get a chart.
 *     C5  A missing field is dropped when a rule reports the misspelt name under which it is there.
 *     C6  A finding about a value with an unfilled placeholder is dropped: nobody knows the value yet.
 *
 * After `mostFindings` findings only errors are kept. After as many errors the rules are stopped.
 */
export class Reporter {
  readonly #source: Source;
  readonly #findings: Finding[] = [];
  readonly #topics = new Map<string, Finding>();
  readonly #unfilled: UnfilledValues;
  readonly #suspected = new Set<UnfilledValue>();
  #errors = 0;
  #unsaid = 0;

  constructor(source: Source, unfilled: readonly UnfilledValue[] = []) {
    this.#source = source;
    this.#unfilled = new UnfilledValues(unfilled);
  }

  /** The unfilled values with an error that was dropped. */
  get suspected(): ReadonlySet<UnfilledValue> {
    return this.#suspected;
  }

  /** Runs rules that report here, until enough errors are reported. */
  run(rules: () => void): void {
    try {
      rules();
    } catch (stopped) {
      if (!(stopped instanceof ReportLimitError)) throw stopped;
    }
  }

  readonly report: Report = (problem, path, details) => this.#add(problem, path, false, details);

  /** Reports a finding of a format's schema. */
  readonly reportShape: Report = (problem, path, details) =>
    this.#add(problem, path, true, details);

  /** Reports that a placeholder has no value. */
  reportUnfilled(problem: Problem, path: Path): void {
    const finding = { problem, path, isShape: false, furtherPlaces: [] };
    this.#errors += 1;
    if (this.#findings.length < mostFindings) this.#findings.push(finding);
    else this.#unsaid += 1;
  }

  #add(problem: Problem, path: Path, isShape: boolean, details: ReportDetails = {}): void {
    const unknown = this.#unknownAt(path, details);
    if (unknown) {
      if (problem.severity === 'error') this.#suspected.add(unknown);
      return;
    }
    const key = details.topic === undefined ? undefined : `${problem.code} ${details.topic}`;
    const earlier = key === undefined ? undefined : this.#topics.get(key);
    if (earlier) {
      earlier.furtherPlaces.push(path);
      return;
    }
    if (this.#findings.length >= mostFindings && problem.severity !== 'error') {
      this.#unsaid += 1;
      return;
    }
    if (problem.severity === 'error') this.#errors += 1;
    if (this.#errors > mostFindings) {
      this.#unsaid += 1;
      throw new ReportLimitError();
    }
    const finding = { ...details, problem, path, isShape, furtherPlaces: [] };
    this.#findings.push(finding);
    if (key !== undefined) this.#topics.set(key, finding);
  }

  /** The unfilled value that a finding is about or follows from. The name of a field is always known. */
  #unknownAt(path: Path, { at, follows = [] }: ReportDetails): UnfilledValue | undefined {
    const places = [at === 'key' ? path.slice(0, -1) : path, ...follows];
    for (const place of places) {
      const found = this.#unfilled.around(place);
      if (found) return found;
    }
    return undefined;
  }

  get hasErrors(): boolean {
    return hasErrors(this.#source.diagnostics) || this.#kept().some(isError);
  }

  /** Every finding that no other finding explains, in order of position. */
  sorted(): Diagnostic[] {
    const found = this.#kept().map((finding) => this.#placed(finding));
    const diagnostics = [...this.#source.diagnostics, ...found];
    if (this.#unsaid > 0) {
      const { start } = this.#source.locate([]);
      diagnostics.push(placed(tooManyFindings(diagnostics.length), [], { start, end: start }));
    }
    return diagnostics.toSorted(
      (a, b) =>
        a.range.start.offset - b.range.start.offset ||
        comparePaths(a.path, b.path) ||
        a.code.localeCompare(b.code, 'en'),
    );
  }

  #placed({ problem, path, at, related = [], furtherPlaces }: Finding): Diagnostic {
    const further = furtherPlaces
      .slice(0, mostPlaces)
      .map((place) => ({ path: place, message: 'Also here.' }));
    const places = [...related, ...further].map((place) => ({
      ...place,
      range: this.#source.locate(place.path, 'value'),
    }));
    return placed(problem, path, this.#source.locate(path, at ?? 'value'), places);
  }

  /**
   * Findings that follow from no other place explain others first. Then the remaining findings explain others, unless they are
   * explained themselves: of two findings that follow from each other's places, one is kept.
   */
  #kept(): Finding[] {
    const unreadable = this.#source.diagnostics.filter(({ severity }) => severity === 'error');
    const isReadable = (finding: Finding) =>
      finding.isShape || !unreadable.some(({ path }) => isAbout(path, finding));
    const candidates = this.#findings.filter(isReadable);
    const [first, then] = [
      candidates.filter(({ follows }) => !follows),
      candidates.filter(({ follows }) => follows),
    ];
    const explained = new Set<Finding>();
    const raised = new Set<Finding>();
    for (const cause of [...first, ...then]) {
      if (explained.has(cause) || !isMisread(cause.problem)) continue;
      for (const finding of candidates) {
        if (finding === cause || explained.has(finding) || !explains(cause, finding)) continue;
        explained.add(finding);
        if (isError(finding) && !isError(cause)) raised.add(cause);
      }
    }
    return candidates
      .filter((finding) => !explained.has(finding))
      .map((finding) => (raised.has(finding) ? asError(finding) : finding));
  }
}

function explains(cause: Finding, finding: Finding): boolean {
  if (finding.isShape) return isNamedBy(cause, finding);
  if (cause.isShape) return aboutOf(cause).some((place) => isAbout(place, finding));
  return aboutOf(cause).some((place) => followsFrom(place, finding));
}

/** Whether every missing field exists under a misspelt name. */
function isNamedBy({ misspelt }: Finding, missing: Finding): boolean {
  return (
    misspelt !== undefined &&
    aboutOf(missing).every((place) => place.length === misspelt.length && isWithin(place, misspelt))
  );
}

/** Whether a finding is about a place or a part of it, or follows from it. */
function isAbout(place: Path, finding: Finding): boolean {
  const own = finding.misspelt ? [finding.path] : aboutOf(finding);
  return own.some((one) => isWithin(one, place)) || followsFrom(place, finding);
}

function followsFrom(place: Path, { follows = [] }: Finding): boolean {
  return follows.some((pattern) => touches(place, pattern));
}

function asError(finding: Finding): Finding {
  return { ...finding, problem: { ...finding.problem, severity: 'error' } };
}

function isError({ problem }: Finding): boolean {
  return problem.severity === 'error';
}

/** Whether a part of the definition is not read as its author meant it. */
function isMisread({ severity, misread }: Problem): boolean {
  return severity === 'error' || misread === true;
}

function aboutOf({ about, misspelt, path }: Finding): readonly Path[] {
  return about ?? [misspelt ?? path];
}

function isWithin(path: Pattern, outer: Pattern): boolean {
  return outer.length <= path.length && touches(path, outer);
}

/** Whether two patterns can match the same place, or one a part of the other. */
function touches(one: Pattern, other: Pattern): boolean {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index += 1)
    if (one[index] !== '*' && other[index] !== '*' && one[index] !== other[index]) return false;
  return true;
}

/** The unfilled values of a definition, found by path. */
export class UnfilledValues {
  readonly #byPath: ReadonlyMap<string, UnfilledValue>;
  readonly #byPattern = new Map<string, UnfilledValue | undefined>();

  constructor(values: readonly UnfilledValue[]) {
    this.#byPath = new Map(values.map((value) => [JSON.stringify(value.path), value]));
  }

  /** The unfilled value at a path, or the one that the path leads into. `*` matches any step. */
  around(path: Pattern): UnfilledValue | undefined {
    if (this.#byPath.size === 0) return undefined;
    return path.includes('*') ? this.#matching(path) : this.#above(path);
  }

  #above(path: Path): UnfilledValue | undefined {
    for (let length = 1; length <= path.length; length += 1) {
      const found = this.#byPath.get(JSON.stringify(path.slice(0, length)));
      if (found) return found;
    }
    return undefined;
  }

  /** Rules have few patterns, so each pattern is searched only once. */
  #matching(pattern: Pattern): UnfilledValue | undefined {
    const key = JSON.stringify(pattern);
    if (!this.#byPattern.has(key)) {
      const found = [...this.#byPath.values()].find(
        ({ path }) =>
          path.length <= pattern.length &&
          path.every((step, index) => pattern[index] === '*' || pattern[index] === step),
      );
      this.#byPattern.set(key, found);
    }
    return this.#byPattern.get(key);
  }
}
