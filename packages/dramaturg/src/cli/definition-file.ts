import { basename } from 'node:path';
import {
  type Checked,
  type Compiled,
  diagnosticsToJson,
  type PlacedFinding,
} from '@dramaturg/compiler';
import { visible } from '@dramaturg/compiler/text';
import type { StartOrder } from '@dramaturg/service/client';
import { compile } from '../compile.ts';
import { type DefinitionOptions, requireOptions } from './definition-options.ts';
import { readOnePart, splitName } from './definition-parts.ts';
import { standardInput, statusOf } from './files.ts';
import { printProblems } from './print-problems.ts';
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
