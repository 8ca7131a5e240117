import type { Json, JsonObject } from '@dramaturg/compiler';
import type { World } from '@dramaturg/compiler/machine';
import type { Work } from '../work.ts';
import type { SyntaxNode } from './syntax.ts';

/** The data of an expression. */
export interface JsonataScope {
  /** `$states` */
  readonly states: JsonObject;
  /** `$name`: set by `Assign`. */
  readonly variables: Readonly<Record<string, Json>>;
  readonly world: World;
  /** The work of all expressions of the state. Left out, the work of this one. */
  readonly work?: Work;
}

/** How many enclosing frames cost a unit. */
const framesPerUnit = 16;

/** The variables of a block or a call. */
export class Frame {
  readonly #values = new Map<string, unknown>();
  readonly #outer: Frame | undefined;
  readonly #more: ((name: string) => unknown) | undefined;

  /** @param more the variables that no frame has bound */
  constructor(outer?: Frame, more?: (name: string) => unknown) {
    this.#outer = outer;
    this.#more = more;
  }

  bind(name: string, value: unknown): void {
    this.#values.set(name, value);
  }

  lookup(name: string, work: Work, frames = 1): unknown {
    const value = this.#values.get(name);
    const isBound = value !== undefined || this.#values.has(name);
    if (!isBound && this.#outer) return this.#outer.lookup(name, work, frames + 1);
    work.spend(frames / framesPerUnit);
    return isBound ? value : this.#more?.(name);
  }
}

/** The part of an evaluation that the functions it calls can use. */
export interface Evaluating {
  readonly work: Work;
  readonly world: World;
  readonly evaluate: (node: SyntaxNode, input: unknown, frame: Frame) => unknown;
  readonly apply: (callee: unknown, args: readonly unknown[], input?: unknown) => unknown;
  readonly textOf: (value: unknown) => string;
  readonly lookup: (input: unknown, name: string) => unknown;
}

/** A function that replaces one of the library, or is added by AWS. */
// oxlint-disable-next-line typescript/no-explicit-any -- The signature says what the arguments are.
export type OwnFunction = (this: Evaluating, ...args: any[]) => unknown;
