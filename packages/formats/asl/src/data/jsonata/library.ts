import jsonata from 'jsonata';
import type { OwnFunction } from './evaluating.ts';
import type { Signature } from './syntax.ts';
import type { CodedError } from './values.ts';
import { Work } from '../work.ts';

interface LibraryDefinition {
  readonly signature?: Signature;
  readonly implementation: (this: unknown, ...args: unknown[]) => unknown;
}

/** A function of the library, found once: the library has to evaluate an expression to find it. */
export function inLibrary(
  name: string,
  { own, signature }: Added = {},
): LibraryDefinition | undefined {
  const expression = jsonata(`$${name}`);
  if (signature) expression.registerFunction(name, own as () => unknown, signature);
  return expression.evaluate({}) as LibraryDefinition | undefined;
}

/** A function that the library lacks, with its signature in the library's notation. */
interface Added {
  readonly own?: OwnFunction | undefined;
  readonly signature?: string | undefined;
}

const implementations = new Map<string, LibraryDefinition['implementation']>();

export function libraryFunction(name: string): LibraryDefinition['implementation'] {
  const known = implementations.get(name) ?? inLibrary(name)!.implementation;
  implementations.set(name, known);
  return known;
}

/**
 * The message of an error in the library's words. The library words an error only when its own evaluation ends with it.
 */
export function worded(error: CodedError): string {
  const { code, token = '', ...fields } = error as CodedError & Record<string, unknown>;
  const shown = Object.entries(fields).map(([name, value]) => [name, brief(value)]);
  const raised = { message: error.message, ...Object.fromEntries(shown), code, token, position: 1 };
  const expression = jsonata('$raise()');
  expression.registerFunction('raise', () => {
    throw raised;
  });
  try {
    expression.evaluate({});
  } catch {
    // `raised` now has its message.
  }
  return raised.message === '' ? code : `${code}: ${raised.message}`;
}

const charactersShown = 100;

/** A value for a message; a long value is cut. */
function brief(value: unknown): unknown {
  if (typeof value === 'string' && value.length > charactersShown)
    return `${value.slice(0, charactersShown)}...`;
  try {
    new Work(charactersShown).deeply(value);
    return value;
  } catch {
    return Array.isArray(value) ? '[...]' : '{...}';
  }
}
