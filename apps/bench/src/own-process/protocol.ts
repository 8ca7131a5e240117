import type { Json } from '@dramaturg/compiler';

/** What one sample has found, by name. */
export type Readings = Readonly<Record<string, number>>;

export interface Sampler {
  readonly sample: () => Promise<Readings>;
  /** Gives up what it holds, such as a store that the next one opens. */
  readonly close?: () => Promise<void>;
}

/** A module that measures in a process of its own exports this as `prepare`. */
export type Prepare<Settings extends Json = never> = (
  settings: Settings,
  tell: (doing: string) => void,
) => Promise<Sampler>;

/** What a process is asked; it answers each with one `Answer`. */
export type Question =
  | { readonly type: 'prepare'; readonly module: string; readonly settings: Json }
  | { readonly type: 'sample' }
  | { readonly type: 'close' };

export type Answer =
  | { readonly type: 'done'; readonly readings?: Readings }
  | { readonly type: 'failed'; readonly name: string; readonly message: string }
  /** No answer yet: what it is doing. */
  | { readonly type: 'doing'; readonly doing: string };
