import {
  askPort,
  type Port,
  type PortCall,
  type PortEnding,
  PortError,
  type PortName,
  type Usage,
  usageIn,
} from '@dramaturg/compiler';
import type { CallLimits, Limits } from './limits.ts';
import { priced } from './price.ts';
import { inFigures, reachedBy } from './limit-reached.ts';
import { type CallUse, tokensOf, type Used } from './usage-total.ts';

/** What a call may use. */
export interface Allowance {
  readonly limits: Limits;
  /** What the calls before it have used. */
  readonly used: Used;
  /** How many other calls that use something up have been made and not ended. */
  readonly underWay: () => number;
}

export interface Outcome {
  readonly ending: PortEnding;
  /** Absent when the call was not made, or is one that does not count. */
  readonly use?: CallUse;
}

/**
 * Asks a port, if the limits allow another call, and as long as they allow. What the answer has cost is in its `usage`, as
 * far as the prices tell. It never rejects: a call that fails has an ending too.
 */
export async function askWithin(
  name: PortName,
  port: Port<PortName>,
  input: unknown,
  call: PortCall,
  { limits, used, underWay }: Allowance,
): Promise<Outcome> {
  if (!usesUp(name)) return { ending: await endingOf(askPort(name, port, input, call)) };
  const because = reachedBy(limits, used, underWay);
  if (because !== undefined) return { ending: { error: limitReached(name, because) } };

  const started = performance.now();
  const asked = askInTime(name, port, input, call, {
    time: least(limits.call?.time, limits.time && limits.time - used.time),
    maxTokens: whereSmall(
      least(limits.call?.tokens, limits.tokens && limits.tokens - tokensOf(used)),
    ),
  });
  const ending = withCost(name, await endingOf(asked), limits);
  const usage = usageIn(ending);
  const use = { time: Math.round(performance.now() - started), usage };
  const tooMuch = usage && exceeded(usage, limits.call ?? {});
  if (tooMuch === undefined || 'error' in ending) return { ending, use };
  const error = limitReached(name, `The answer of "${name}" ${tooMuch}`, usage);
  return { ending: { error }, use };
}

/** Waiting for a time or a person uses nothing up. */
export function usesUp(name: PortName): boolean {
  return name !== 'timer' && name !== 'requestDecision';
}

/**
 * So many tokens every model gives in one answer. Servers refuse to be told of more than theirs does, and of more than fits
 * beside the input; and a limit that hardly an answer comes near need not be told.
 */
const smallAnswer = 4_096;

function whereSmall(tokens: number | undefined): number | undefined {
  return tokens !== undefined && tokens < smallAnswer ? tokens : undefined;
}

/** The longest that `setTimeout` can wait, in milliseconds. */
const longestDelay = 2 ** 31 - 1;

async function askInTime(
  name: PortName,
  port: Port<PortName>,
  input: unknown,
  call: PortCall,
  {
    time,
    maxTokens,
  }: { readonly time: number | undefined; readonly maxTokens: number | undefined },
): Promise<unknown> {
  const { onText, transcript } = call;
  if (time === undefined) {
    return askPort(name, port, input, {
      // Making a signal costs most of a call; only a port that wants it has one.
      get signal() {
        return call.signal;
      },
      onText,
      transcript,
      maxTokens,
    });
  }
  const late = new AbortController();
  const signal = AbortSignal.any([call.signal, late.signal]);
  let timeout: NodeJS.Timeout | undefined;
  const isLate = new Promise<never>((_, reject) => {
    timeout = setTimeout(
      () => {
        const message = `"${name}" has not answered within ${inFigures(time)} ms. To wait longer, raise limits.call.time (--max-call-time) or limits.time (--max-time).`;
        const error = limitReached(name, message);
        reject(error);
        late.abort(error);
      },
      Math.min(time, longestDelay),
    );
  });
  try {
    return await Promise.race([
      askPort(name, port, input, { signal, onText, transcript, maxTokens }),
      isLate,
    ]);
  } finally {
    clearTimeout(timeout);
  }
}

async function endingOf(asked: Promise<unknown>): Promise<PortEnding> {
  try {
    return { output: await asked };
  } catch (error) {
    return { error };
  }
}

function withCost(name: PortName, ending: PortEnding, { prices }: Limits): PortEnding {
  const told = usageIn(ending);
  const usage = told && prices && priced(told, prices);
  if (!usage || usage === told) return ending;
  if ('output' in ending) return { output: { ...(ending.output as object), usage } };
  const { code, message, cause } = ending.error as PortError;
  const behind = cause === undefined ? {} : { cause };
  return { error: new PortError(code, name, message, { ...behind, usage }) };
}

/** What of a call was too much, as the rest of a sentence. It is paid for all the same. */
function exceeded(usage: Usage, { tokens, cost }: CallLimits): string | undefined {
  const taken = tokensOf(usage);
  if (tokens !== undefined && taken > tokens)
    return `took ${inFigures(taken)} tokens, and a call may take ${inFigures(tokens)}. To take such answers, raise limits.call.tokens (--max-call-tokens).`;
  if (cost !== undefined && usage.cost !== undefined && usage.cost > cost)
    return `cost ${inFigures(usage.cost)}, and a call may cost ${inFigures(cost)}. To take such answers, raise limits.call.cost (--max-call-cost).`;
  return undefined;
}

function limitReached(name: PortName, message: string, usage?: Usage): PortError {
  return new PortError('port/limit-reached', name, message, { usage });
}

function least(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}
