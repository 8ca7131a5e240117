import { z } from 'zod';

/**
 * What the calls of a conversation or workflow may use up. Each limit is one that may be left out. Times are in
 * milliseconds, tokens are those of inputs and outputs together, money is in the unit of `prices`. Spec: docs/limits.md
 */
export interface Limits {
  /** How many calls of ports are made; timers and decisions of people do not count. */
  readonly calls?: number | undefined;
  readonly tokens?: number | undefined;
  readonly cost?: number | undefined;
  /** How long its calls take, one added to the other; while it waits for people and timers nothing is added. */
  readonly time?: number | undefined;
  /** What a single call may use up. */
  readonly call?: CallLimits | undefined;
  /** What models cost, by their names, for answers that do not tell it themselves. */
  readonly prices?: Prices | undefined;
}

export interface CallLimits {
  readonly tokens?: number | undefined;
  readonly cost?: number | undefined;
  /** A call that takes longer is aborted. */
  readonly time?: number | undefined;
}

export type Prices = Readonly<Record<string, Price>>;

/** Money for a million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
}

const amount = z.number().nonnegative();
const count = z.int().nonnegative();

const prices: z.ZodType<Prices> = z.record(
  z.string(),
  z.strictObject({ input: amount, output: amount }),
);

const limits: z.ZodType<Limits> = z.strictObject({
  calls: count.optional(),
  tokens: count.optional(),
  cost: amount.optional(),
  time: amount.optional(),
  call: z
    .strictObject({
      tokens: count.optional(),
      cost: amount.optional(),
      time: amount.optional(),
    })
    .optional(),
  prices: prices.optional(),
});

/** @throws TypeError when something is no limit, such as a name that is misspelt */
export function limitsIn(given: unknown): Limits {
  return checked(limits, given, 'The limits are wrong');
}

/** @throws TypeError */
export function pricesIn(given: unknown): Prices {
  return checked(prices, given, 'The prices are wrong');
}

function checked<Value>(schema: z.ZodType<Value>, given: unknown, what: string): Value {
  const taken = schema.safeParse(given);
  if (taken.success) return taken.data;
  const [{ path, message } = { path: [], message: '' }] = taken.error.issues;
  throw new TypeError(`${what}${path.length === 0 ? '' : ` at ${path.join('.')}`}: ${message}.`);
}
