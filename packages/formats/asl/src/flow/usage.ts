import { isRecord, type Json, type Usage as PaidUsage, usageIn } from '@dramaturg/compiler';

/** What a run has used up so far. */
export interface Usage {
  readonly tokens: number;
  /** In the currency that agents count in. */
  readonly cost: number;
}

/** What one call has used. */
export interface Used extends Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly model?: string;
  /** The port has counted, and whoever runs it tells of it. */
  readonly isToldElsewhere: boolean;
}

/** What a port gives back for an agent, or for whoever worked in its place. */
export interface Answer {
  readonly result: Json;
  readonly usage?: PaidUsage;
}

/** What the port has counted; otherwise what the agent says in `_tokens`, `_cost` and `_usage` of its result. Agent 7 §Metering */
export function usedBy({ result, usage }: Answer): Used | undefined {
  if (usage) return counted(usage);
  if (!isRecord(result)) return undefined;
  const { _tokens: tokens, _cost: cost, _usage: parts, _model: model } = result;
  const { input, output } = isRecord(parts) ? parts : {};
  const [inputTokens, outputTokens] = [amountOf(input), amountOf(output)];
  if (![tokens, cost, input, output].some(isAmount)) return undefined;
  return {
    tokens: isAmount(tokens) ? tokens : inputTokens + outputTokens,
    cost: amountOf(cost),
    inputTokens,
    outputTokens,
    ...(typeof model === 'string' && { model }),
    isToldElsewhere: false,
  };
}

/** What a call has used that gave no answer, as far as its port has counted. */
export function usedInVain(error: unknown): Used | undefined {
  const usage = usageIn({ error });
  return usage && counted(usage);
}

function counted({ inputTokens, outputTokens, model, cost = 0 }: PaidUsage): Used {
  return {
    tokens: inputTokens + outputTokens,
    cost,
    inputTokens,
    outputTokens,
    ...(model !== undefined && { model }),
    isToldElsewhere: true,
  };
}

function amountOf(value: unknown): number {
  return isAmount(value) ? value : 0;
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

/** The sum, or undefined when nothing was used. */
export function sumOf(usages: Iterable<Usage | undefined>): Usage | undefined {
  let sum: Usage | undefined;
  for (const usage of usages) {
    if (usage) {
      sum = { tokens: (sum?.tokens ?? 0) + usage.tokens, cost: (sum?.cost ?? 0) + usage.cost };
    }
  }
  return sum;
}
