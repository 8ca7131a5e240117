import { basename, dirname, join } from 'node:path';
import {
  type Chart,
  type Checked,
  type Compiled,
  diagnosticsToJson,
  type PlacedFinding,
} from '@dramaturg/compiler';
import { visible } from '@dramaturg/compiler/text';
import type { StartOrder } from '@dramaturg/service/client';
import { compile } from '../compile.ts';
import { definitionOf } from '../host.ts';
import { formatNamed, formats } from '../known-formats.ts';
import { type DefinitionOptions, requireOptions } from './definition-options.ts';
import { readOnePart, splitName } from './definition-parts.ts';
import { standardInput, statusOf } from './files.ts';
import { printProblems } from './output.ts';
import { type ExitCode, exitCodes, UsageError } from './usage-error.ts';

/** A definition from a file: compiled, and in the form that a host receives. */
export interface DefinitionFile {
  readonly compiled: Compiled;
  readonly order: Exclude<StartOrder['definition'], string>;
}

/**
 * Reads and compiles a definition, and prints its problems.
 *
 * @throws DefinitionError when it has errors
 */
export async function readDefinition(
  given: string,
  name: string,
  definitionOptions: DefinitionOptions,
): Promise<DefinitionFile> {
  const { file, text, options: compileOptions } = await readOnePart(given, definitionOptions);
  const compiled = compile(text, compileOptions);
  requireOptions(compiled);
  printProblems(compiled, file);
  requireNoErrors(compiled, file);
  const { fileName, format, options, values = {} } = compileOptions;
  // A host has neither the file around a definition nor the values of its placeholders.
  const isWhole = typeof text === 'string' && Object.keys(values).length === 0;
  return {
    compiled,
    order: {
      name,
      text: isWhole ? text : JSON.stringify(compiled.filled),
      ...(isWhole && fileName !== undefined ? { fileName } : {}),
      ...(isWhole ? (format === undefined ? {} : { format }) : { format: compiled.format! }),
      ...(options === undefined ? {} : { options }),
    },
  };
}

/**
 * Reads definitions given as `name=file` or as files, and prints the problems of all of them.
 *
 * @throws DefinitionError when one has errors
 */
export async function readDefinitions(
  given: readonly string[],
  options: DefinitionOptions,
): Promise<Readonly<Record<string, DefinitionFile>>> {
  const definitions = new Map<string, DefinitionFile>();
  const findings: PlacedFinding[] = [];
  for (const each of given) {
    const named = /^([\w.-]+)=(.+)$/s.exec(each);
    const file = named?.[2] ?? each;
    const name = named?.[1] ?? nameOf(file);
    if (definitions.has(name)) {
      throw new UsageError(
        `Two definitions are called "${visible(name)}".`,
        'Give them names: --definition first=one.plan.json --definition second=two.plan.json',
      );
    }
    try {
      definitions.set(name, await readDefinition(file, name, options));
    } catch (error) {
      if (!(error instanceof DefinitionError)) throw error;
      findings.push(...error.findings);
    }
  }
  if (findings.length > 0) throw new DefinitionError(findings);
  return Object.fromEntries(definitions);
}

/** `flows/intake.plan.json` is the definition "intake", and `template.yaml#Orders` is "Orders". */
export function nameOf(file: string): string {
  if (file === standardInput) return 'definition';
  const inside = /#([^#\\/]+)$/.exec(file)?.[1];
  if (inside !== undefined) return inside;
  const base = basename(file);
  const dot = base.indexOf('.', 1);
  return dot === -1 ? base : base.slice(0, dot);
}

/** Whether a word is a file and not the name of a definition. */
export async function meansFile(word: string): Promise<boolean> {
  if (word === standardInput || /[\\/]|\.(json|jsonc|json5|ya?ml)(#.+)?$/i.test(word)) return true;
  return (await statusOf((await splitName(word)).file))?.isFile() === true;
}

/** Thrown when a definition has errors, after `printProblems` has printed them on standard error. */
export class DefinitionError extends UsageError {
  /** The first error. */
  readonly first: PlacedFinding;
  /** All errors and warnings, by their places. */
  readonly findings: readonly PlacedFinding[];

  /** @param findings at least one of them is an error */
  constructor(findings: readonly PlacedFinding[], exitCode: ExitCode = exitCodes.errorsFound) {
    const first = findings.find(({ severity }) => severity === 'error')!;
    super(first.message, first.hint, exitCode, first.code);
    this.first = first;
    this.findings = findings;
  }
}

/** @throws DefinitionError when the definition has errors */
export function requireNoErrors(
  { diagnostics }: Pick<Checked, 'diagnostics' | 'source'>,
  file: string,
  exitCode?: ExitCode,
): void {
  if (!diagnostics.some(({ severity }) => severity === 'error')) return;
  const problems = diagnostics.filter(({ severity }) => severity !== 'info');
  throw new DefinitionError(diagnosticsToJson(problems, file), exitCode);
}

/** Endings of files with a definition of a given name, in the folder of the workflow. Workflows come first. */
const suffixes = formats
  .toSorted((a, b) => Number(b.kind === 'workflow') - Number(a.kind === 'workflow'))
  .flatMap((format) => format.suffixes);

/** Limits the number of files that one workflow can load. */
const mostDefinitions = 200;

/**
 * The definitions that a workflow runs as agents, directly or indirectly: the given ones, else files with their names in the
 * folder of the workflow. Names without a definition are agents.
 *
 * @throws DefinitionError when one of them has errors
 */
export async function nestedDefinitions(
  workflow: Compiled,
  file: string,
  given: Readonly<Record<string, DefinitionFile>>,
): Promise<ReadonlyMap<string, DefinitionFile>> {
  const found = new Map<string, DefinitionFile>();
  const pending = [workflow];
  for (const each of pending) {
    for (const name of namesIn(each.chart)) {
      if (found.has(name) || found.size >= mostDefinitions) continue;
      const nested = Object.hasOwn(given, name) ? given[name] : await beside(file, name);
      if (!nested) continue;
      found.set(name, nested);
      pending.push(nested.compiled);
    }
  }
  return found;
}

async function beside(file: string, name: string): Promise<DefinitionFile | undefined> {
  // The name comes from a definition: it must not lead to another folder.
  if (file === standardInput || !/^[\w][\w.-]*$/.test(name)) return undefined;
  for (const suffix of suffixes) {
    const path = join(dirname(file), `${name}${suffix}`);
    if (!(await statusOf(path))?.isFile()) continue;
    return readDefinition(path, name, {} satisfies DefinitionOptions);
  }
  return undefined;
}

/** The names of definitions that a chart may run. Agents are named in many places, so any string in such a form counts. */
function namesIn(chart: Chart | undefined): Set<string> {
  const references = formatNamed(chart?.format)?.agentReferences?.(chart) ?? [];
  const names = new Set(
    references.flatMap(({ name, isDefinition }) => (isDefinition ? [name] : [])),
  );
  const pending: unknown[] = [chart];
  for (const part of pending) {
    const name = typeof part === 'string' ? definitionOf(part) : undefined;
    if (name !== undefined) names.add(name);
    if (typeof part === 'object' && part !== null) pending.push(...Object.values(part));
  }
  return names;
}

/** The names of the definitions that a definition calls as agents, whether or not they exist. */
export function calledDefinitions({ format, filled, source }: Compiled): readonly string[] {
  const references = formatNamed(format)?.agentReferences?.(filled ?? source.value) ?? [];
  const names = references.flatMap(({ name, isDefinition }) =>
    isDefinition ? name : (definitionOf(name) ?? []),
  );
  return [...new Set(names)];
}
