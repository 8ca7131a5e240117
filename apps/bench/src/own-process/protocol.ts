import type { Json } from '@dramaturg/compiler';

/** The values of one sample, by name. */
export type Readings = Readonly<Record<string, number>>;

export interface Sampler {
  /** @param what chooses one of several measurements, if the module has more than one */
  readonly sample: (what?: Json) => Promise<Readings>;
  /** Releases resources, such as a store that the next measurement opens. */
  readonly close?: () => Promise<void>;
}

/** The `prepare` export of a module that measures in a separate process. */
export type Prepare<Settings extends Json = never> = (
  settings: Settings,
  onProgress: (step: string) => void,
) => Promise<Sampler>;

/** A request to the process, which sends exactly one `done` or `failed` for each. */
export type Question =
  | { readonly type: 'prepare'; readonly module: string; readonly settings: Json }
  | { readonly type: 'sample'; readonly what?: Json }
  | { readonly type: 'close' };

export type Answer =
  | { readonly type: 'done'; readonly readings?: Readings }
  | { readonly type: 'failed'; readonly name: string; readonly message: string }
  /** Progress before the answer. */
  | { readonly type: 'progress'; readonly step: string };
