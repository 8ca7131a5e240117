import * as z from 'zod/mini';
import type { AnyStateMachine } from 'xstate';
import type { Chart } from './chart/chart.ts';
import { checkChart } from './chart/check.ts';
import { type AnyFormat, detect } from './detect.ts';
import { type Diagnostic, hasErrors, type Problem } from './diagnostic.ts';
import type { FormatKind } from './format.ts';
import { unfilledPlaceholder, wrongOption } from './format-problems.ts';
import { isRecord, type JsonObject, type Path } from './json.ts';
import { link, type LinkOptions } from './link/link.ts';
import {
  fillPlaceholders,
  type PlaceholderValues,
  type UnfilledValue,
} from './placeholders/fill.ts';
import { syntax } from './read/problems.ts';
import { read } from './read/read.ts';
import type { Source } from './read/source.ts';
import { Reporter } from './reporter.ts';
import { checkShape } from './shape.ts';
import { withBoundedComparisons } from './words.ts';

export interface CompileOptions {
  /** The formats to choose from. */
  readonly formats: readonly AnyFormat[];
  /** Name of the format; found by file name and shape when left out. */
  readonly format?: string | undefined;
  /** Name of the file the text is from: helps to tell JSON from YAML, and one format from another. */
  readonly fileName?: string | undefined;
  /** Options of the format. */
  readonly options?: JsonObject | undefined;
  /**
   * Values of placeholders such as `${TableName}`, in formats that have them. `check` takes any value for the others, and
   * `compile` reports those that a run needs.
   */
  readonly values?: PlaceholderValues | undefined;
  /** How the chart becomes a machine; only for `compile`. */
  readonly link?: LinkOptions | undefined;
}

/** The result of checking a text. `definition` and the fields that follow from it exist only as far as the text is sound. */
export interface Checked {
  readonly source: Source;
  /** Name of the format, once it is known. */
  readonly format?: string;
  /** Kind of the format, once it is known. */
  readonly kind?: FormatKind;
  /** The value of the text with its placeholders filled. */
  readonly filled?: unknown;
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

/**
 * Reads, checks, lowers and links a definition. A mistake of the author is a diagnostic, never an exception.
 *
 * @param text the text of the definition, or a part of another text that has been read
 * @example
 * ```ts
 * const { machine, diagnostics } = compile(text, { formats: [plan] });
 * console.log(machine?.id, hasErrors(diagnostics)); // → customer-intake-and-support false
 * ```
 */
export function compile(text: string | Source, options: CompileOptions): Compiled {
  const { checked, format } = withBoundedComparisons(() =>
    checkWithFormat(text, options, { needsValues: true }),
  );
  return checked.chart && format
    ? { ...checked, machine: link(checked.chart, format.behaviour, options.link) }
    : checked;
}

/**
 * Like `compile`, without linking: all that a linter or an editor needs.
 *
 * @example
 * ```ts
 * const { diagnostics } = check(text.replace('"strict"', '"firm"'), { formats: [plan] });
 * console.log(diagnostics[0]?.code); // → plan/unknown-state-type
 * ```
 */
export function check(text: string | Source, options: CompileOptions): Checked {
  return withBoundedComparisons(() => checkWithFormat(text, options, { needsValues: false }))
    .checked;
}

function checkWithFormat(
  text: string | Source,
  options: CompileOptions,
  { needsValues }: { readonly needsValues: boolean },
): { checked: Checked; format?: AnyFormat } {
  const { source, authored, format, problem, path = [] } = detected(text, options);
  if (!format) {
    const reporter = new Reporter(source);
    if (problem) reporter.report(problem, path, path.length > 0 ? { at: 'key' } : {});
    return { checked: { source, diagnostics: reporter.sorted() } };
  }
  const known = { format: format.name, kind: format.kind };
  const chosen = z.safeParse(format.options, options.options ?? {});
  if (!chosen.success) {
    const reporter = new Reporter(source);
    for (const issue of chosen.error.issues) reporter.report(wrongOption(format.name, issue), []);
    return { checked: { source, ...known, diagnostics: reporter.sorted() } };
  }
  const shape = format.shape(authored);
  const { value, unfilled } = format.placeholders
    ? fillPlaceholders(authored, shape, options.values ?? {}, format.placeholders.textOfCall)
    : { value: authored, unfilled: [] };
  const reporter = new Reporter(source, unfilled);
  const { report } = reporter;
  let definition: unknown;
  let chart: Chart | undefined;
  reporter.run(() => {
    checkShape(value, shape, reporter.reportShape);
    definition = format.normalise(value, report, chosen.data);
    for (const rule of format.rules) rule({ definition, options: chosen.data, report });
    if (needsValues) reportUnfilled(format, unfilled, reporter);
    // Lowering needs a definition without errors, including suspected errors in unfilled values.
    if (reporter.hasErrors || reporter.suspected.size > 0) return;
    chart = format.lower(definition, chosen.data);
    checkChart(chart, report, format.wiring?.(value));
  });
  const diagnostics = reporter.sorted();
  const sound = chart && !hasErrors(diagnostics);
  const checked = { source, ...known, filled: value, definition, diagnostics };
  return { checked: sound ? { ...checked, chart: chart! } : checked, format };
}

interface Detected {
  readonly source: Source;
  /** The value of the source without the field `$schema`. */
  readonly authored?: unknown;
  readonly format?: AnyFormat;
  readonly problem?: Problem;
  readonly path?: Path;
}

/** Reads a text as its format does. Without a format, `problem` says why; a text that cannot be read has its own findings. */
function detected(text: string | Source, options: CompileOptions): Detected {
  const { fileName, formats } = options;
  const name = fileName === undefined ? {} : { fileName };
  const source = typeof text === 'string' ? read(text, { ...name, placeholders: true }) : text;
  // The parsed value of a text with syntax errors says little about what the author meant.
  const isHalfRead = source.diagnostics.some(({ code }) => code === syntax.code);
  if (source.value === undefined || isHalfRead) return { source };
  const authored = withoutSchemaReference(source.value);
  const found = detect(authored, formats, options);
  if ('problem' in found) return { source, ...found };
  // Formats without placeholders read the text without them. Most texts have none.
  const mayDiffer = typeof text === 'string' && /\$\{|!\w/.test(text);
  if (!mayDiffer || found.format.placeholders) return { source, authored, ...found };
  const plain = read(text, name);
  return hasErrors(plain.diagnostics) && !hasErrors(source.diagnostics)
    ? { source: plain }
    : { source, authored, ...found };
}

/** Removes `$schema`, which is for editors: it names the JSON Schema by which they check and complete. */
function withoutSchemaReference(value: unknown): unknown {
  if (!isRecord(value) || typeof value['$schema'] !== 'string') return value;
  const { $schema: _, ...definition } = value;
  return definition;
}

/** Reports the placeholders that a run needs: those of fields that take no string, and those that decide what runs. */
function reportUnfilled(
  { placeholders }: AnyFormat,
  unfilled: readonly UnfilledValue[],
  reporter: Reporter,
): void {
  for (const value of unfilled) {
    const { path, names, isSample } = value;
    if (isSample || reporter.suspected.has(value) || placeholders?.matters(path))
      reporter.reportUnfilled(unfilledPlaceholder(names), path);
  }
}
