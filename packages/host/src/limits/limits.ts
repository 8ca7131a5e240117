import { inEnglish } from '@dramaturg/compiler/shapes';
import * as z from 'zod/mini';

/**
 * How much the calls of a conversation or workflow may consume. Each limit is optional. Times are in milliseconds, tokens
 * count inputs and outputs together, money is in the unit of `prices`. Spec: docs/limits.md
 */
export interface Limits {
  /** The number of calls of ports; timers and decisions of people do not count. */
  readonly calls?: number | undefined;
  readonly tokens?: number | undefined;
  readonly cost?: number | undefined;
  /** The sum of the durations of its calls. Waiting for people and timers does not count. */
  readonly time?: number | undefined;
  /** How much a single call may consume. */
  readonly call?: CallLimits | undefined;
  /** Prices by the name of the model, for answers that do not report their cost. */
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
  /** The price of input that the provider reads from a cache. When left out, the price of input. */
  readonly cachedInput?: number | undefined;
}

const amount = z.number().check(z.nonnegative());
const count = z.int().check(z.nonnegative());

const prices: z.ZodMiniType<Prices> = z.record(
  z.string(),
  z.strictObject({ input: amount, output: amount, cachedInput: z.optional(amount) }),
);

const limits: z.ZodMiniType<Limits> = z.strictObject({
  calls: z.optional(count),
  tokens: z.optional(count),
  cost: z.optional(amount),
  time: z.optional(amount),
  call: z.optional(
    z.strictObject({
      tokens: z.optional(count),
      cost: z.optional(amount),
      time: z.optional(amount),
    }),
  ),
  prices: z.optional(prices),
});

/** @throws TypeError when a limit is invalid, such as a misspelt name */
export function parseLimits(value: unknown): Limits {
  return parse(limits, value, 'The limits are wrong');
}

/** @throws TypeError */
export function parsePrices(value: unknown): Prices {
  return parse(prices, value, 'The prices are wrong');
}

/** @throws TypeError */
function parse<Value>(schema: z.ZodMiniType<Value>, value: unknown, what: string): Value {
  const result = schema.safeParse(value, inEnglish);
  if (result.success) return result.data;
  const [{ path, message } = { path: [], message: '' }] = result.error.issues;
  throw new TypeError(`${what}${path.length === 0 ? '' : ` at ${path.join('.')}`}: ${message}.`);
}

/** Limits on what waits for one instance or one contact. When nothing waits, any message is accepted. */
export interface InboxLimits {
  /** How many messages. 10,000 by default. */
  readonly messages: number;
  /** UTF-16 units of all their texts. 8,000,000 by default. */
  readonly size: number;
}

const inboxLimits: z.ZodMiniType<InboxLimits> = z.strictObject({
  messages: z._default(z.int().check(z.positive()), 10_000),
  size: z._default(z.int().check(z.positive()), 8_000_000),
});

/** @throws TypeError when a limit is invalid, such as a misspelt name */
export function parseInboxLimits(value: unknown = {}): InboxLimits {
  return parse(inboxLimits, value, 'The limits of the inbox are wrong');
}
