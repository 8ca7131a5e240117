import type { Source } from '@dramaturg/compiler';
import { missingWords, reachedKeys, unitKey } from '@dramaturg/compiler/chart';
import { counted, visible } from '@dramaturg/compiler/text';
import { countedUnits, type Exploration, type Reach } from '../../exploring/explore.ts';
import type { Finding } from '../../exploring/findings.ts';
import type { Mutant } from '../../exploring/mutating/mutate.ts';
import type { SearchBound } from '../../exploring/search.ts';
import type { TestStep } from '../../testing/test-file.ts';
import type { Output } from '../output.ts';
import { percent, printCoverage } from '../testing/print-results.ts';

/** An explored definition, with its lifecycle and the definitions that it calls. */
export interface ExploredDefinition {
  readonly file: string;
  readonly source: Source;
  readonly bounds: { readonly steps: number; readonly seconds: number };
  /** The lifecycle that was given with it. */
  readonly lifecycle?: { readonly file: string; readonly source: Source };
  /** The names of the definitions that it calls, directly or indirectly. They are explored with it. */
  readonly called: readonly string[];
  /** The names of called definitions without a file. */
  readonly missing: readonly string[];
}

/** Prints the result of an exploration for people. */
export function printExploration(
  exploration: Exploration,
  { file, source, bounds, lifecycle, called, missing: absent }: ExploredDefinition,
  out: string | undefined,
  output: Output,
): string {
  const { tests, unreached, steps, endedAt } = exploration;
  const reached =
    lifecycle && exploration.lifecycle ? printReach(exploration.lifecycle, lifecycle, output) : '';
  const end =
    endedAt === undefined
      ? [...unreached, ...(exploration.lifecycle?.unreached ?? [])].every(
          (unit) => unit.isUnreachable,
        )
        ? 'everything is reached'
        : 'every move was tried from every moment that differs for the definition'
      : endings[endedAt](bounds);
  const written =
    out === undefined
      ? `${counted(tests.length, 'test')}. Write them with --out.\n`
      : `${counted(tests.length, 'test')} in ${visible(out)}. Run them with: dramaturg test ${visible(out)}\n`;
  const found = exploration.findings.map((finding) =>
    printFinding(finding, { file, source }, output),
  );
  const mistakes = exploration.mutants ? printMutants(exploration.mutants, output) : '';
  const list = (names: readonly string[]) => names.map((name) => `"${visible(name)}"`).join(', ');
  const others = [
    ...(called.length > 0 ? [`It was explored with what it calls: ${list(called)}.\n`] : []),
    ...(absent.length > 0
      ? [`Calls of ${list(absent)} are answered as by an agent: no such file is beside it.\n`]
      : []),
  ].join('');
  const own = printReach(exploration, { file, source }, output);
  return `${reached}${own}${found.join('')}${counted(steps, 'move')}: ${end}.\n${others}${mistakes}${written}`;
}

/** Prints how much of a definition was reached, and the unreached parts with the reasons. */
function printReach(
  reach: Reach,
  { file, source }: Pick<ExploredDefinition, 'file' | 'source'>,
  output: Output,
): string {
  const { paint } = output;
  const units = coveredUnits(reach);
  const [summary = ''] = printCoverage(file, source, units, output).split('\n');
  const reached = reachedKeys(units);
  const missing = reach.unreached.map((unit) => {
    const { label, path, reason, isUnreachable, isUnknown } = unit;
    const { line, column } = source.locate(path).start;
    const what = isUnknown ? `${unit.kind} unknown` : missingWords(unit, reached);
    const place = paint('dim', `${visible(file)}:${line}:${column}`);
    const shown = isUnreachable ? paint('dim', `${what} (unreachable)`) : paint('yellow', what);
    return `  ${shown}: ${visible(label)} ${place}\n      ${visible(reason)}\n`;
  });
  return `${summary}\n${missing.join('')}`;
}

const endings: Readonly<Record<SearchBound, (bounds: ExploredDefinition['bounds']) => string>> = {
  steps: ({ steps }) => `ended at the bound of ${steps} moves`,
  seconds: ({ seconds }) => `ended at the bound of ${seconds} s`,
  data: () => 'some ways were not followed further: they are too long, or their data are too large',
  counts: () =>
    'a limit of the definition is higher than the search counts, so what comes after it was not tried',
};

/** Prints a fault that shows when the definition runs, with an example. */
function printFinding(
  { code, message, hint, path, example }: Finding,
  { file, source }: Pick<ExploredDefinition, 'file' | 'source'>,
  { paint }: Output,
): string {
  const { line, column } = source.locate(path).start;
  const steps = example.steps.flatMap((step, index) => [
    ...(index === 0 ? [] : [happeningIn(step)]),
    ...(step.answers ?? []).map((answer) => JSON.stringify(answer)),
  ]);
  const input = JSON.stringify(example.input);
  const way = [...(input === '{}' ? [] : [`input ${input}`]), ...steps].join(', then ');
  return [
    `  ${paint('yellow', 'warning')} ${code} ${paint('dim', `${visible(file)}:${line}:${column}`)}`,
    `      ${visible(message)}`,
    `      example: ${visible(way === '' ? 'it begins' : way)}`,
    `      ${paint('cyan', 'hint:')} ${hint}\n`,
  ].join('\n');
}

function happeningIn({ person, event, decide, task, later, operator }: TestStep): string {
  const [[name, value] = ['nothing', '']] = Object.entries({
    person,
    event,
    decide,
    task,
    later,
    operator,
  }).filter(([, each]) => each !== undefined);
  return `${name} ${JSON.stringify(value)}`;
}

/** Prints how many mistakes the tests find, and lists the others. */
function printMutants(mutants: readonly Mutant[], { paint }: Output): string {
  const { relevant, found, added, counts } = mutationScore(mutants);
  const missed = mutants.filter(({ fate }) => fate === 'missed' || fate === 'unknown');
  const lines = missed.map(
    ({ path, words, fate, isUnreached }) =>
      `  ${paint('yellow', fate === 'missed' ? 'not found' : isUnreached ? 'not reached, so unknown' : 'unknown')}: ${visible(path.join('.'))}: ${visible(words)}\n`,
  );
  const more = added === 0 ? '' : `, ${added} of them by tests that were added`;
  const others = `${counts.refused} refused by check, ${counts.equivalent} equivalent`;
  const share = relevant === 0 ? '' : ` (${Math.floor((100 * found) / relevant)} %)`;
  return `${found} of ${counted(relevant, 'mistake')} found${share}${more}; ${others}.\n${lines.join('')}`;
}

/** The result of an exploration for programs. Spec: docs/explore.md#json */
export function explorationToJson(
  exploration: Exploration,
  { file, source, bounds, lifecycle, called, missing }: ExploredDefinition,
  out: string | undefined,
) {
  const { tests, steps, endedAt, mutants, findings } = exploration;
  return {
    definition: file,
    percent: percent(coveredUnits(exploration)),
    bounds,
    moves: steps,
    complete: endedAt === undefined,
    ...(endedAt ? { ended_at: endedAt } : {}),
    ...(called.length > 0 ? { called } : {}),
    ...(missing.length > 0 ? { missing } : {}),
    units: unitsToJson(exploration, source),
    ...(lifecycle && exploration.lifecycle
      ? {
          lifecycle: {
            definition: lifecycle.file,
            percent: percent(coveredUnits(exploration.lifecycle)),
            units: unitsToJson(exploration.lifecycle, lifecycle.source),
          },
        }
      : {}),
    findings: findings.map(({ path, ...finding }) => ({
      ...finding,
      path,
      line: source.locate(path).start.line,
    })),
    tests,
    ...(mutants ? { mistakes: mistakesToJson(mutants, source) } : {}),
    ...(out === undefined ? {} : { file: out }),
  };
}

function unitsToJson({ units, unreached }: Reach, source: Source) {
  const reasons = new Map(unreached.map((unit) => [unitKey(unit), unit]));
  return [...units].map(([key, { kind, holds, label, path, from }]) => {
    const { line, column } = source.locate(path).start;
    const why = reasons.get(key);
    return {
      kind,
      ...(holds === undefined ? {} : { holds }),
      label,
      path,
      ...(from === undefined ? {} : { from }),
      line,
      column,
      reached: why === undefined,
      ...(why?.isUnreachable ? { unreachable: true } : {}),
      ...(why?.isUnknown ? { unknown: true } : {}),
      ...(why ? { reason: why.reason, ...(why.code ? { code: why.code } : {}) } : {}),
    };
  });
}

function mistakesToJson(mutants: readonly Mutant[], source: Source) {
  const { counts, found, relevant } = mutationScore(mutants);
  return {
    ...counts,
    percent: relevant === 0 ? 100 : Math.floor((100 * found) / relevant),
    mutants: mutants.map(({ path, words, fate, test, isUnreached }) => ({
      path,
      line: source.locate(path).start.line,
      change: words,
      fate,
      ...(test === undefined ? {} : { test }),
      ...(isUnreached ? { unreached: true } : {}),
    })),
  };
}

function coveredUnits(reach: Reach) {
  const missing = new Set(reach.unreached.map(unitKey));
  return [...countedUnits(reach)].map(([key, unit]) => ({
    ...unit,
    hits: missing.has(key) ? 0 : 1,
  }));
}

/** The mutation score. Mistakes that `check` refuses and equivalent ones do not count. */
export function mutationScore(mutants: readonly Mutant[]) {
  const count = (fate: Mutant['fate']) => mutants.filter((mutant) => mutant.fate === fate).length;
  const counts = {
    refused: count('refused'),
    found: count('found'),
    added: count('added'),
    equivalent: count('equivalent'),
    unknown: count('unknown'),
    missed: count('missed'),
  };
  const found = counts.found + counts.added;
  return { counts, found, added: counts.added, relevant: found + counts.unknown + counts.missed };
}
