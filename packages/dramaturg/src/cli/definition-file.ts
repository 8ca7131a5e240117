import { basename } from 'node:path';
import { type Compiled, type PlacedFinding, visible } from '@dramaturg/compiler';
import { compile } from '../compile.ts';
import { DefinitionError, requireNoErrors } from './definition-error.ts';
import { printProblems } from './print-problems.ts';
import { type DefinitionOptions, optionsFor, requireOptions } from './definition-options.ts';
import { readText, standardInput, statusOf } from './files.ts';
import { UsageError } from './usage-error.ts';
import type { StartOrder } from './host/transport/wire.ts';

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
  file: string,
  name: string,
  { format, option }: DefinitionOptions,
): Promise<DefinitionFile> {
  const text = await readText(file);
  const fileName = file === standardInput ? undefined : basename(file);
  const options = await optionsFor(text, file, { option });
  const compiled = compile(text, { fileName, format, options });
  requireOptions(compiled);
  printProblems(compiled, file);
  requireNoErrors(compiled, file);
  return {
    compiled,
    order: {
      name,
      text,
      ...(fileName === undefined ? {} : { fileName }),
      ...(format === undefined ? {} : { format }),
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

/** `flows/intake.plan.json` is the definition "intake". */
export function nameOf(file: string): string {
  if (file === standardInput) return 'definition';
  const base = basename(file);
  const dot = base.indexOf('.', 1);
  return dot === -1 ? base : base.slice(0, dot);
}

/** Whether a word is a file and not the name of a definition. */
export async function meansFile(word: string): Promise<boolean> {
  if (word === standardInput || /[\\/]|\.(json|jsonc|json5|ya?ml)$/i.test(word)) return true;
  return (await statusOf(word))?.isFile() === true;
}
