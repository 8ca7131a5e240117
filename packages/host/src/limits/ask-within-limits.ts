import {
  type Port,
  type PortCall,
  PortError,
  type PortName,
  type Usage,
} from '@dramaturg/compiler';
import { askPort, type PortEnding, usageIn } from '@dramaturg/compiler/machine';
import { Deadline, type Waits } from '../admission/deadline.ts';
import type { CallLimits, Limits, Price, Prices } from './limits.ts';
import { type CallUsage, tokensOf, type UsageTotal } from './usage-total.ts';

/** How much a call may consume. */
export interface Allowance {
  readonly limits: Limits;
  /** Milliseconds after which any call is aborted, regardless of the limits; `Infinity` never. */
  readonly timeout: number;
  /** The consumption of earlier calls. */
  readonly used: UsageTotal;
  /** The number of other metered calls that are running. */
  readonly callsRunning: () => number;
  readonly waits: Waits;
}

export interface Outcome {
  readonly ending: PortEnding;
  /** Absent when the call was not made, or is not metered. */
  readonly use?: CallUsage;
}

/**
 * Calls a port, if the limits allow another call, and aborts it when its time is up. The `usage` of the answer includes the
 * cost if the model has a price. Never rejects: a failed call has an ending too.
 */
export async function askWithinLimits(
  name: PortName,
  port: Port<PortName>,
  input: unknown,
  call: PortCall,
  { limits, timeout, used, callsRunning, waits }: Allowance,
): Promise<Outcome> {
  if (!isMetered(name)) return { ending: await endingOf(askPort(name, port, input, call)) };
  const reason = limitReachedReason(limits, used, callsRunning);
  if (reason !== undefined) return { ending: { error: limitReached(name, reason) } };

  const started = waits.now;
  const answer = askInTime(name, port, input, call, {
    time: least(limits.call?.time, limits.time && limits.time - used.time) ?? Infinity,
    timeout,
    waits,
    maxTokens: ifSmall(least(limits.call?.tokens, limits.tokens && limits.tokens - tokensOf(used))),
  });
  const ending = withCost(name, await endingOf(answer), limits);
  const usage = usageIn(ending);
  const use = { time: Math.max(0, Math.round(waits.now - started)), usage };
  const tooMuch = usage && exceeded(usage, limits.call ?? {});
  if (tooMuch === undefined || 'error' in ending) return { ending, use };
  const error = limitReached(name, `The answer of "${name}" ${tooMuch}`, usage);
  return { ending: { error }, use };
}

/** Whether calls of a port consume anything. Ports that wait for a time or a person, or that count, do not. */
export function isMetered(name: PortName): boolean {
  return name !== 'timer' && name !== 'requestDecision' && name !== 'countSpending';
}

/**
 * Every model can answer with this many tokens. Larger values of `maxTokens` are not passed on: servers refuse more than
 * their model supports or than fits next to the input, and few answers come near such a limit.
 */
const smallAnswer = 4_096;

function ifSmall(tokens: number | undefined): number | undefined {
  return tokens !== undefined && tokens < smallAnswer ? tokens : undefined;
}

interface CallTime {
  /** The time that the limits allow, in milliseconds. */
  readonly time: number;
  readonly timeout: number;
  readonly waits: Waits;
  readonly maxTokens: number | undefined;
}

async function askInTime(
  name: PortName,
  port: Port<PortName>,
  input: unknown,
  call: PortCall,
  { time, timeout, waits, maxTokens }: CallTime,
): Promise<unknown> {
  const { onText, transcript, readAttachment, heartbeat, instance, now, timeZone } = call;
  const longest = Math.min(time, timeout);
  const deadline = new Deadline(waits, longest, () =>
    time <= timeout ? outOfTime(name, time) : timeoutError(name, timeout),
  );
  let signal: AbortSignal | undefined;
  const answer = askPort(name, port, input, {
    // Creating a signal costs most of a call, so it is created only when a port reads it.
    get signal() {
      return (signal ??= AbortSignal.any([call.signal, deadline.signal]));
    },
    onText,
    transcript,
    readAttachment,
    heartbeat,
    maxTokens,
    instance,
    now,
    timeZone,
  });
  try {
    return await deadline.within(answer);
  } finally {
    deadline.cancel();
  }
}

async function endingOf(answer: Promise<unknown>): Promise<PortEnding> {
  try {
    return { output: await answer };
  } catch (error) {
    return { error };
  }
}

function withCost(name: PortName, ending: PortEnding, { prices }: Limits): PortEnding {
  const reported = usageIn(ending);
  const usage = reported && prices && addCost(reported, prices);
  if (!usage || usage === reported) return ending;
  if ('output' in ending) return { output: { ...(ending.output as object), usage } };
  const { code, message, cause } = ending.error as PortError;
  const withCause = cause === undefined ? {} : { cause };
  return { error: new PortError(code, name, message, { ...withCause, usage }) };
}

/** The limit that the answer of a call exceeds, as the rest of a sentence. The usage is still counted. */
function exceeded(usage: Usage, { tokens, cost }: CallLimits): string | undefined {
  const used = tokensOf(usage);
  if (tokens !== undefined && used > tokens)
    return `took ${formatAmount(used)} tokens, and a call may take ${formatAmount(tokens)}. To accept such answers, raise limits.call.tokens (--max-call-tokens).`;
  if (cost !== undefined && usage.cost !== undefined && usage.cost > cost)
    return `cost ${formatAmount(usage.cost)}, and a call may cost ${formatAmount(cost)}. To accept such answers, raise limits.call.cost (--max-call-cost).`;
  return undefined;
}

function limitReached(name: PortName, message: string, usage?: Usage): PortError {
  return new PortError('port/limit-reached', name, message, { usage });
}

function outOfTime(name: PortName, time: number): PortError {
  const message = `"${name}" did not answer within ${formatAmount(time)} ms. To wait longer, raise limits.call.time (--max-call-time) or limits.time (--max-time).`;
  return limitReached(name, message);
}

function timeoutError(name: PortName, timeout: number): PortError {
  const message = `The port "${name}" did not answer within ${formatAmount(timeout)} ms. To wait longer, raise callTimeout of createHost (--call-timeout).`;
  return new PortError('port/timed-out', name, message);
}

function least(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}

const million = 1_000_000;

/** Adds the cost, if the answer does not report it and the model has a price. */
function addCost(usage: Usage, prices: Prices): Usage {
  const price = usage.cost === undefined ? priceOf(usage.model, prices) : undefined;
  if (!price) return usage;
  const { inputTokens, outputTokens, cachedInputTokens = 0 } = usage;
  const { input, output, cachedInput = input } = price;
  const cached = Math.min(cachedInputTokens, inputTokens);
  return {
    ...usage,
    cost: ((inputTokens - cached) * input + cached * cachedInput + outputTokens * output) / million,
  };
}

// A call of `openai:gpt-6-luna`, priced under that name, may be answered by `gpt-6-luna-2026-09-22`.
const provider = /^[^:]+:/;
const date = /-(\d{4}-\d{2}-\d{2}|\d{8})$/;

function priceOf(model: string | undefined, prices: Prices): Price | undefined {
  if (model === undefined) return undefined;
  const bare = model.replace(provider, '');
  const answered = [model, model.replace(date, '')];
  const names = [...answered, bare, bare.replace(date, '')];
  const name = names.find((each) => Object.hasOwn(prices, each));
  if (name !== undefined) return prices[name];
  const [one, another] = Object.keys(prices).filter((each) =>
    answered.includes(each.replace(provider, '')),
  );
  // If two providers have a price for the model, the answer does not say which one gave it.
  return one === undefined || another !== undefined ? undefined : prices[one];
}

/**
 * Says why no more calls are made: which limit is reached, the usage, and the next thing to do.
 *
 * @param callsRunning the number of running calls; the rest of their usage is not known yet
 * @returns undefined when another call may be made
 */
function limitReachedReason(
  limits: Limits,
  used: UsageTotal,
  callsRunning: () => number,
): string | undefined {
  if (limits.calls !== undefined) {
    const calls = used.calls + callsRunning();
    if (isReached(limits.calls, calls)) return sentence('calls', calls, limits.calls);
  }
  const tokens = tokensOf(used);
  if (isReached(limits.tokens, tokens)) return sentence('tokens', tokens, limits.tokens);
  if (isReached(limits.time, used.time)) return sentence('time', used.time, limits.time);
  if (limits.cost === undefined) return undefined;
  if (used.unpriced !== undefined) return unpriced(used.unpriced);
  return isReached(limits.cost, used.cost) ? sentence('cost', used.cost, limits.cost) : undefined;
}

function isReached(limit: number | undefined, used: number): limit is number {
  return limit !== undefined && used >= limit;
}

/** The options of the command for the limits. */
const optionOf = {
  calls: '--max-calls',
  tokens: '--max-tokens',
  time: '--max-time',
  cost: '--max-cost',
} as const;

function sentence(what: keyof typeof optionOf, used: number, limit: number): string {
  const unit = what === 'time' ? ' ms' : '';
  return `The limit of ${what} is reached: ${formatAmount(used)} of ${formatAmount(limit)}${unit} used. To go on, raise limits.${what} (${optionOf[what]}).`;
}

function unpriced(model: string): string {
  const who = model === '' ? 'a model that does not say its name' : `the model "${model}"`;
  return `The cost is limited, but the price of ${who} is unknown. Give its price in limits.prices (--prices).`;
}

const figures = new Intl.NumberFormat('en', { maximumFractionDigits: 6 });

export function formatAmount(amount: number): string {
  return figures.format(amount);
}
