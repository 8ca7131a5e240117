import type { AnyStateMachine } from 'xstate';
import type { Chart } from './chart/chart.ts';
import { checkChart } from './chart/check.ts';
import { type AnyFormat, detect } from './detect.ts';
import { type Diagnostic, hasErrors } from './diagnostic.ts';
import type { FormatKind } from './format.ts';
import { wrongOption } from './format-problems.ts';
import type { JsonObject } from './json.ts';
import { link, type LinkOptions } from './link/link.ts';
import { syntax } from './read/problems.ts';
import { read } from './read/read.ts';
import type { Source } from './read/source.ts';
import { ReportLimitError, Reporter } from './reporter.ts';
import { checkShape } from './shape.ts';

export interface CompileOptions {
  /** The formats to choose from. */
  readonly formats: readonly AnyFormat[];
  /** Name of the format; found by file name and shape when left out. */
  readonly format?: string | undefined;
  /** Name of the file the text is from: helps to tell JSON from YAML, and one format from another. */
  readonly fileName?: string | undefined;
  /** Options of the format. */
  readonly options?: JsonObject | undefined;
  /** How the chart becomes a machine; only for `compile`. */
  readonly link?: LinkOptions | undefined;
}

/** What came of a text. `definition` and what follows from it are there only as far as the text is sound. */
export interface Checked {
  readonly source: Source;
  /** Name of the format, once it is known. */
  readonly format?: string;
  /** Kind of the format, once it is known. */
  readonly kind?: FormatKind;
  /** The definition in one spelling. */
  readonly definition?: unknown;
  /** The chart, when nothing is an error. */
  readonly chart?: Chart;
  /** Every finding, in order of position. */
  readonly diagnostics: readonly Diagnostic[];
}

export interface Compiled extends Checked {
  /** The machine, when nothing is an error. Give it ports and `createActor` runs it. */
  readonly machine?: AnyStateMachine;
}

/** Reads, checks, lowers and links a definition. A mistake of the author is a diagnostic, never an exception. */
export function compile(text: string, options: CompileOptions): Compiled {
  const { checked, format } = checkWithFormat(text, options);
  return checked.chart && format
    ? { ...checked, machine: link(checked.chart, format.behaviour, options.link) }
    : checked;
}

/** Like `compile`, without linking: all that a linter or an editor needs. */
export function check(text: string, options: CompileOptions): Checked {
  return checkWithFormat(text, options).checked;
}

function checkWithFormat(
  text: string,
  options: CompileOptions,
): { checked: Checked; format?: AnyFormat } {
  const source = read(text, options.fileName === undefined ? {} : { fileName: options.fileName });
  const reporter = new Reporter(source);
  const { report } = reporter;
  // What a parser makes of a text it cannot parse says little about what the author meant.
  const isHalfRead = source.diagnostics.some(({ code }) => code === syntax.code);
  if (source.value === undefined || isHalfRead) {
    return { checked: { source, diagnostics: reporter.sorted() } };
  }

  const detected = detect(source.value, options.formats, options);
  if ('problem' in detected) {
    report(detected.problem, detected.path ?? [], detected.path ? { at: 'key' } : {});
    return { checked: { source, diagnostics: reporter.sorted() } };
  }
  const { format } = detected;
  const known = { format: format.name, kind: format.kind };
  const chosen = format.options.safeParse(options.options ?? {});
  if (!chosen.success) {
    for (const issue of chosen.error.issues) report(wrongOption(format.name, issue), []);
    return { checked: { source, ...known, diagnostics: reporter.sorted() } };
  }
  let definition: unknown;
  let chart: Chart | undefined;
  try {
    checkShape(source.value, format.shape(source.value), reporter.reportShape);
    definition = format.normalise(source.value, report, chosen.data);
    for (const rule of format.rules) rule({ definition, options: chosen.data, report });
    if (!reporter.hasErrors) {
      chart = format.lower(definition, chosen.data);
      checkChart(chart, report, format.wiring?.(source.value));
    }
  } catch (stopped) {
    if (!(stopped instanceof ReportLimitError)) throw stopped;
  }
  const diagnostics = reporter.sorted();
  const sound = chart && !hasErrors(diagnostics);
  const checked = { source, ...known, definition, diagnostics };
  return { checked: sound ? { ...checked, chart: chart! } : checked, format };
}
