import type { World } from '@dramaturg/compiler/machine';
import type { Work } from '../work.ts';
import type { Frame } from './frame.ts';
import type { SyntaxNode } from './syntax.ts';

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
